package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
	"github.com/fencelint/fencelint/fence/internal/integration/proxy"
)

// TestStoppedProcess stops a holder in another process by SIGSTOP at each of
// five points, lets its lease end, acquires and writes here, and continues it.
// In every fourth run the lease ends by the passing of its time.
//
// Under Register the old holder's write is refused wherever it was stopped.
// Under Claim it is refused too, except that one that was stopped before its
// claim claims above its successor: it then reads what the successor wrote, and
// it is the successor whose later write is refused. Either way no acknowledged
// write is lost, and the old release frees nothing.
func TestStoppedProcess(t *testing.T) {
	t.Parallel()
	runs := proof.Count(t, "FENCE_STOPS", 20)
	s := newStore(t, newClient(t, sharedServer(t).Addr()))
	var done, natural, refused, preempted atomic.Int64
	work := make(chan int)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for i := range work {
				r := stopRun{s: s, point: proof.Points[i%5], claim: i/5%2 == 1, natural: i%4 == 3, name: fmt.Sprintf("job-%d", i)}
				name := fmt.Sprintf("%03d %s claim=%v natural=%v", i, r.point, r.claim, r.natural)
				if t.Run(name, func(t *testing.T) { r.run(t, &refused, &preempted) }) {
					done.Add(1)
				}
				if r.natural {
					natural.Add(1)
				}
			}
		})
	}
	for i := range runs {
		work <- i
	}
	close(work)
	wg.Wait()
	require.EqualValues(t, runs, done.Load())
	t.Logf("%d runs, %d with a lease that ended by itself: %d stale writes refused, %d late claims pre-empted, 0 stale accepted, 0 lost",
		runs, natural.Load(), refused.Load(), preempted.Load())
}

// A stopRun is one stopped process.
type stopRun struct {
	s       *store
	point   string
	claim   bool
	natural bool
	name    string
}

// ownTTL is the lease that ends by itself. The worker renews it until it is
// stopped, so it is long enough for a loaded machine.
const ownTTL = 3 * time.Second

func (r stopRun) run(t *testing.T, refused, preempted *atomic.Int64) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s := r.s
	require.NoError(t, s.put(ctx, r.name, "start"))
	p, err := proxy.Start(sharedServer(t).Addr(), 0)
	require.NoError(t, err)
	defer p.Close()

	mode, ttl := "register", time.Hour
	if r.claim {
		mode = "claim"
	}
	if r.natural {
		ttl = ownTTL
	}
	var held <-chan struct{}
	release := func() {}
	if r.point == proof.AfterSend { // the write has left the holder and arrives late
		held, release = p.Hold(wireText("start" + late))
	}
	timeline := new(fencetest.Timeline)
	worker := fencetest.Start(t, timeline, "A", "worker", fmt.Sprintf("127.0.0.1:%d", p.Port()), s.prefix, r.name, mode, ttl.String())
	// Up to the point, and then stop there.
	way := []string{proof.AfterAcquire, proof.AfterRegister, proof.AfterRead, proof.BeforeRelease}
	if r.point == proof.AfterSend {
		worker.Pass(way[:3]...)
		select {
		case <-held:
		case <-ctx.Done():
			t.Fatalf("the holder sent nothing\n%v", timeline)
		}
		worker.Stop()
		way = way[3:]
	} else {
		at := slices.Index(way, r.point)
		worker.Pass(way[:at]...)
		worker.Await(r.point)
		worker.Stop()
		worker.Go() // it goes on when it is continued
		way = way[at+1:]
	}

	if !r.natural {
		require.NoError(t, s.expire(ctx, r.name))
	}
	locks := fence.New(s.locker, fence.WithTTL(10*time.Minute), fence.WithRetry(5*time.Millisecond, 50*time.Millisecond))
	prepare := fence.Registering(s.guard)
	if r.claim {
		prepare = fence.Claiming(s.guard)
	}
	lease, err := locks.Acquire(ctx, r.name, prepare)
	require.NoError(t, err, "takeover\n%v", timeline)
	grant, err := lease.Grant(s.guard)
	require.NoError(t, err)
	first, err := s.read(ctx, r.name)
	require.NoError(t, err)
	require.NoError(t, s.write(ctx, grant, r.name, first+" B"))

	release()
	worker.Continue()
	if r.point == proof.AfterAcquire && !r.claim { // its registration is refused, so it does no work
		way = []string{proof.BeforeRelease}
	}
	worker.Pass(way...)
	worker.Pass(released)
	err = worker.Wait()

	value, readErr := s.read(ctx, r.name)
	require.NoError(t, readErr)
	again := s.write(ctx, grant, r.name, value+" B")
	switch {
	case r.point == proof.BeforeRelease: // it had written before it stopped
		require.NoError(t, err)
		require.Equal(t, "start A B", value)
		require.NoError(t, again)
	case r.point == proof.AfterAcquire && r.claim:
		require.NoError(t, err)
		require.Equal(t, "start B A", value)
		require.ErrorIs(t, again, fence.ErrStale)
		preempted.Add(1)
	default:
		require.ErrorIs(t, err, fence.ErrStale, "%v", timeline)
		require.Equal(t, "start B", value)
		require.NoError(t, again)
		refused.Add(1)
	}
	_, err = s.locker.Acquire(ctx, driver.Request{Name: r.name, Owner: owner("probe"), TTL: time.Second})
	require.ErrorIs(t, err, driver.ErrNotAcquired, "the old release freed the new lock")
	require.NoError(t, lease.Release(ctx))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Fatal("too slow to prove anything")
	}
}
