package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// TestStoppedProcess stops a holder in another process by SIGSTOP at each of
// five points, lets its lease end, acquires and writes here, and continues it.
//
// Under Register the old holder's write is refused wherever it was stopped.
// Under Claim it is refused too, except that one that was stopped before its
// claim claims above its successor: it then reads what the successor wrote,
// and it is the successor whose later write is refused. Either way no
// acknowledged write is lost, and the old release frees nothing.
//
// In half of the runs the lease is short, is renewed until the stop, and ends
// by the store's clock while the other process asks for it again and again. In
// the others it is long and the test ends it.
func TestStoppedProcess(t *testing.T) {
	t.Parallel()
	runs := proof.Count(t, "FENCE_STOPS", 20)
	onEach(t, func(t *testing.T, k kind) {
		place := k.new(t, patient)
		s := open(t, place)
		var total stopCounts
		var done atomic.Int64
		work := make(chan int)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for i := range work {
					r := stopRun{s: s, place: place, point: proof.Points[i%5], claim: i/5%2 == 1, expires: i/10%2 == 1, name: fmt.Sprintf("job-%d", i)}
					name := fmt.Sprintf("%03d %s claim=%v expires=%v", i, r.point, r.claim, r.expires)
					if t.Run(name, func(t *testing.T) { r.run(t, &total) }) {
						done.Add(1)
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
		if runs >= 20 {
			require.NotZero(t, total.waited.Load(), "no lease ended by itself")
		}
		t.Logf("%s: %d runs, in %d of them the lease ended by the store's clock, %d of which met it held: %d stale writes refused, %d late claims pre-empted, 0 stale accepted, 0 lost",
			k.name, runs, total.expired.Load(), total.waited.Load(), total.refused.Load(), total.preempted.Load())
	})
}

// stopCounts are counts over all runs on one store.
type stopCounts struct {
	refused, preempted atomic.Int64
	expired            atomic.Int64 // leases that ended by themselves
	waited             atomic.Int64 // of these, those that the successor met held
}

// A stopRun is one stopped process.
type stopRun struct {
	s       *stores.Store
	place   stores.Place
	point   string
	claim   bool
	expires bool // the lease ends by itself
	name    string
}

// shortLease is for leases that end by themselves.
const shortLease = 400 * time.Millisecond

// An askingLocker counts how often the lock was held by another.
type askingLocker struct {
	driver.Locker
	held int
}

func (l *askingLocker) Acquire(ctx context.Context, r driver.Request) (driver.Hold, error) {
	h, err := l.Locker.Acquire(ctx, r)
	if errors.Is(err, driver.ErrNotAcquired) {
		l.held++
	}
	return h, err
}

func (r stopRun) run(t *testing.T, total *stopCounts) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	s := r.s
	require.NoError(t, s.Put(ctx, s.DB, r.name, "start"))

	// On a wire the statement itself is late: it has left the holder and
	// arrives after the takeover.
	child := job{Place: r.place, Point: r.point, Claim: r.claim, Name: r.name, TTL: time.Hour}
	if r.expires {
		child.TTL = shortLease
	}
	p, through := proxied(t, r.place, 0)
	release := func() {}
	var held <-chan struct{}
	if p != nil {
		defer p.Close()
		child.Place = through
		if r.point == proof.AfterSend {
			child.Point = ""
			held, release = p.Hold("update item")
			defer release()
		}
	}
	worker := startChild(t, "worker", child)
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			t.Fatalf("the holder sent nothing: %s", &worker.stderr)
		}
		worker.signal(t, syscall.SIGSTOP)
	}
	worker.untilStopped(t)

	// Its lease ends, and another process takes over, with a lease that outlasts
	// the test.
	if !r.expires {
		require.NoError(t, s.Expire(ctx, r.name))
	}
	locker := &askingLocker{Locker: s.Locker}
	client := fence.New(locker, fence.WithTTL(10*time.Minute), fence.WithRetry(5*time.Millisecond, 20*time.Millisecond))
	prepare := fence.Registering(s.Guard)
	if r.claim {
		prepare = fence.Claiming(s.Guard)
	}
	lease, err := client.Acquire(ctx, r.name, prepare)
	require.NoError(t, err)
	if r.expires {
		total.expired.Add(1)
		total.waited.Add(int64(min(1, locker.held)))
	}
	grant, err := lease.Grant(s.Guard)
	require.NoError(t, err)
	first, err := s.Read(ctx, r.name)
	require.NoError(t, err)
	require.NoError(t, set(ctx, s, grant, r.name, first+" B"))

	worker.signal(t, syscall.SIGCONT)
	release()
	var out outcome
	require.NoError(t, json.Unmarshal([]byte(worker.finish(t)), &out))

	value, err := s.Read(ctx, r.name)
	require.NoError(t, err)
	again := set(ctx, s, grant, r.name, value+" B")
	switch {
	case r.point == proof.BeforeRelease: // it had written before it stopped
		require.Empty(t, out.Err)
		require.Equal(t, "start A B", value)
		require.NoError(t, again)
	case r.point == proof.AfterAcquire && r.claim:
		require.Empty(t, out.Err)
		require.Equal(t, "start B A", value)
		require.ErrorIs(t, again, fence.ErrStale)
		total.preempted.Add(1)
	default:
		require.True(t, out.Stale, "the old holder ended with %q", out.Err)
		require.Equal(t, "start B", value)
		require.NoError(t, again)
		total.refused.Add(1)
	}
	require.True(t, out.ReleaseLost, "the old release must find that the lock has passed on")

	_, err = s.Locker.Acquire(ctx, driver.Request{Name: r.name, Owner: "probe-0123456789", TTL: time.Second})
	require.ErrorIs(t, err, driver.ErrNotAcquired, "the old release freed the new lock")
	require.NoError(t, lease.Release(ctx))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Fatal("too slow to prove anything")
	}
}
