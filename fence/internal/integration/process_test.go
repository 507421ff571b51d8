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
func TestStoppedProcess(t *testing.T) {
	t.Parallel()
	runs := count(t, "FENCE_STOPS", 10)
	onEach(t, func(t *testing.T, k kind) {
		place := k.new(t, patient)
		s := open(t, place)
		var done atomic.Int64
		refused, preempted := &atomic.Int64{}, &atomic.Int64{}
		points := []string{afterAcquire, afterRegister, afterRead, afterSend, beforeRelease}
		work := make(chan int)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for i := range work {
					r := stopRun{s: s, place: place, point: points[i%5], claim: i/5%2 == 1, name: fmt.Sprintf("job-%d", i)}
					name := fmt.Sprintf("%03d %s claim=%v", i, r.point, r.claim)
					if t.Run(name, func(t *testing.T) { r.run(t, refused, preempted) }) {
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
		t.Logf("%d runs: %d stale writes refused, %d late claims pre-empted, 0 stale accepted, 0 lost", runs, refused.Load(), preempted.Load())
	})
}

// A stopRun is one stopped process.
type stopRun struct {
	s     *stores.Store
	place stores.Place
	point string
	claim bool
	name  string
}

func (r stopRun) run(t *testing.T, refused, preempted *atomic.Int64) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	s := r.s
	require.NoError(t, s.Put(ctx, s.DB, r.name, "start"))

	// On a wire the statement itself is late: it has left the holder and
	// arrives after the takeover.
	child := job{Place: r.place, Point: r.point, Claim: r.claim, Name: r.name, TTL: time.Hour}
	p, through := proxied(t, r.place, 0)
	release := func() {}
	var held <-chan struct{}
	if p != nil {
		defer p.Close()
		child.Place = through
		if r.point == afterSend {
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

	// Its lease ends: here at once, so that a loaded machine ends none before
	// the stop. That leases end by themselves is shown by the conformance
	// suite. Another process takes over, with a lease that outlasts the test.
	require.NoError(t, s.Expire(ctx, r.name))
	client := fence.New(s.Locker, fence.WithTTL(10*time.Minute), fence.WithRetry(5*time.Millisecond, 20*time.Millisecond))
	prepare := fence.Registering(s.Guard)
	if r.claim {
		prepare = fence.Claiming(s.Guard)
	}
	lease, err := client.Acquire(ctx, r.name, prepare)
	require.NoError(t, err)
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
	case r.point == beforeRelease: // it had written before it stopped
		require.Empty(t, out.Err)
		require.Equal(t, "start A B", value)
		require.NoError(t, again)
	case r.point == afterAcquire && r.claim:
		require.Empty(t, out.Err)
		require.Equal(t, "start B A", value)
		require.ErrorIs(t, again, fence.ErrStale)
		preempted.Add(1)
	default:
		require.True(t, out.Stale, "the old holder ended with %q", out.Err)
		require.Equal(t, "start B", value)
		require.NoError(t, again)
		refused.Add(1)
	}
	require.True(t, out.ReleaseLost, "the old release must find that the lock has passed on")

	_, err = s.Locker.Acquire(ctx, driver.Request{Name: r.name, Owner: "probe-0123456789", TTL: time.Second})
	require.ErrorIs(t, err, driver.ErrNotAcquired, "the old release freed the new lock")
	require.NoError(t, lease.Release(ctx))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Fatal("too slow to prove anything")
	}
}
