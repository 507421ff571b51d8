package fence_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/memfence"
)

// faulty passes requests on unless a hook answers first.
type faulty struct {
	*memfence.Locks
	acquire func(context.Context, driver.Request) (driver.Hold, error)
	extend  func(context.Context) error
	release func(context.Context) error
}

func (f *faulty) Acquire(ctx context.Context, r driver.Request) (driver.Hold, error) {
	if f.acquire != nil {
		return f.acquire(ctx, r)
	}
	return f.Locks.Acquire(ctx, r)
}

func (f *faulty) Extend(ctx context.Context, h driver.Hold, d time.Duration) error {
	if f.extend != nil {
		if err := f.extend(ctx); err != nil {
			return err
		}
	}
	return f.Locks.Extend(ctx, h, d)
}

func (f *faulty) Release(ctx context.Context, h driver.Hold) error {
	if f.release != nil {
		if err := f.release(ctx); err != nil {
			return err
		}
	}
	return f.Locks.Release(ctx, h)
}

const ttl = 9 * time.Second

func bubbleClient(l driver.Locker, opts ...fence.Option) *fence.Client {
	return fence.New(l, append([]fence.Option{fence.WithTTL(ttl)}, opts...)...)
}

func TestKeepAliveOutlastsTheTTL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		locks := memfence.NewLocks()
		c := bubbleClient(locks)
		l := must(c.Acquire(t.Context(), "job"))(t)
		time.Sleep(20 * ttl)
		noErr(t, l.Context().Err())
		wantErr(t, second(c.TryAcquire(t.Context(), "job")), fence.ErrNotAcquired)
		noErr(t, l.Release(t.Context()))
	})
}

func TestLossCancelsDo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lost atomic.Int32
		locks := memfence.NewLocks()
		c := bubbleClient(locks, fence.WithTrace(&fence.Trace{Lost: func(fence.Event) { lost.Add(1) }}))
		err := c.Do(t.Context(), "job", func(ctx context.Context, l *fence.Lease) error {
			locks.Expire("job")
			<-ctx.Done()
			if cause := context.Cause(ctx); cause != fence.ErrLost {
				t.Errorf("cause %v", cause)
			}
			wantErr(t, l.Extend(t.Context(), ttl), fence.ErrLost)
			return ctx.Err()
		})
		wantErr(t, err, fence.ErrLost)
		wantErr(t, err, context.Canceled)
		synctest.Wait() // the work is stopped first, the loss told after it
		if lost.Load() != 1 {
			t.Errorf("loss traced %d times", lost.Load())
		}
	})
}

// The service hangs or cannot be reached: the loss is told when the lease ends,
// which counts from before its request was sent, and not later.
func TestLossAtDeadline(t *testing.T) {
	t.Parallel()
	answers := map[string]func(context.Context) error{
		"hangs":       func(ctx context.Context) error { <-ctx.Done(); return driver.ErrUncertain },
		"unavailable": func(context.Context) error { return driver.ErrUnavailable },
		"uncertain":   func(context.Context) error { return driver.ErrUncertain },
		"unsupported": func(context.Context) error { return driver.ErrUnsupported },
	}
	for name, extend := range answers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const slow = 2 * time.Second
				locks := &faulty{Locks: memfence.NewLocks(), extend: extend}
				locks.acquire = func(ctx context.Context, r driver.Request) (driver.Hold, error) {
					h, err := locks.Locks.Acquire(ctx, r)
					time.Sleep(slow) // the reply takes its time
					return h, err
				}
				begin := time.Now()
				l := must(bubbleClient(locks).Acquire(t.Context(), "job"))(t)
				<-l.Context().Done()
				if got := time.Since(begin); got != ttl {
					t.Errorf("lost after %v, want %v", got, ttl)
				}
				if context.Cause(l.Context()) != fence.ErrLost {
					t.Errorf("cause %v", context.Cause(l.Context()))
				}
			})
		})
	}
}

func TestKeepAliveSurvivesAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls int
		locks := &faulty{Locks: memfence.NewLocks()}
		locks.extend = func(context.Context) error {
			if calls++; calls <= 2 { // 3s and 6s into 9s
				return driver.ErrUnavailable
			}
			return nil
		}
		l := must(bubbleClient(locks).Acquire(t.Context(), "job"))(t)
		time.Sleep(10 * ttl)
		noErr(t, l.Context().Err())
		noErr(t, l.Release(t.Context()))
	})
}

func TestWithoutKeepAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		locks := &faulty{Locks: memfence.NewLocks()}
		var extends atomic.Int32
		locks.extend = func(context.Context) error { extends.Add(1); return nil }
		l := must(bubbleClient(locks, fence.WithoutKeepAlive()).Acquire(t.Context(), "job"))(t)
		time.Sleep(ttl / 2)
		noErr(t, l.Extend(t.Context(), 2*ttl))
		time.Sleep(2*ttl - 1)
		noErr(t, l.Context().Err())
		time.Sleep(1)
		synctest.Wait()
		if context.Cause(l.Context()) != fence.ErrLost {
			t.Errorf("cause %v", context.Cause(l.Context()))
		}
		if n := extends.Load(); n != 1 {
			t.Errorf("%d extensions, want the one asked for", n)
		}
	})
}

// Renewal follows the duration of the last extension, in one chain.
func TestRenewalAfterExtend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		locks := &faulty{Locks: memfence.NewLocks()}
		var extends atomic.Int32
		locks.extend = func(context.Context) error { extends.Add(1); return nil }
		l := must(bubbleClient(locks).Acquire(t.Context(), "job"))(t)
		noErr(t, l.Extend(t.Context(), ttl/9)) // shorter than the first interval
		time.Sleep(10 * ttl)
		noErr(t, l.Context().Err())
		// A renewal each third of a second for 90 seconds, and the one asked for.
		if n := extends.Load(); n < 260 || n > 280 {
			t.Errorf("%d extensions, want about 271", n)
		}
		noErr(t, l.Release(t.Context()))
	})
}

func TestExtendOfALostLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		locks := memfence.NewLocks()
		l := must(bubbleClient(locks).Acquire(t.Context(), "job"))(t)
		locks.Expire("job")
		wantErr(t, l.Extend(t.Context(), ttl), fence.ErrNotOwner)
		if context.Cause(l.Context()) != fence.ErrLost {
			t.Errorf("cause %v", context.Cause(l.Context()))
		}
	})
}

// Release compares with the server although the caller has gone, and a hung
// service does not hold it for longer than its timeout.
func TestReleaseOnCancelledContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		locks := &faulty{Locks: memfence.NewLocks()}
		c := bubbleClient(locks, fence.WithReleaseTimeout(time.Second))
		ctx, cancel := context.WithCancel(t.Context())
		l := must(c.Acquire(ctx, "job"))(t)
		cancel()
		noErr(t, l.Context().Err()) // Acquire's ctx bounded the waiting only

		locks.release = func(ctx context.Context) error {
			<-ctx.Done()
			return errors.Join(driver.ErrUncertain, ctx.Err())
		}
		begin := time.Now()
		wantErr(t, l.Release(ctx), fence.ErrUncertain)
		if got := time.Since(begin); got != time.Second {
			t.Errorf("release took %v", got)
		}
		locks.release = nil
		noErr(t, l.Release(ctx)) // may be tried again
		noErr(t, must(c.TryAcquire(t.Context(), "job"))(t).Release(t.Context()))
	})
}

func TestAcquireWaits(t *testing.T) {
	t.Parallel()
	services := map[string]func(*memfence.Locks) driver.Locker{
		"notified": func(l *memfence.Locks) driver.Locker { return l },
		"polling":  func(l *memfence.Locks) driver.Locker { return struct{ driver.Locker }{l} },
		"cannot tell": func(l *memfence.Locks) driver.Locker {
			return struct {
				driver.Locker
				driver.Waiter
			}{l, deaf{}}
		},
	}
	for name, service := range services {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := bubbleClient(service(memfence.NewLocks()))
				first := must(c.Acquire(t.Context(), "job"))(t)

				short, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := c.Acquire(short, "job")
				wantErr(t, err, fence.ErrNotAcquired)
				wantErr(t, err, context.DeadlineExceeded)

				go func() {
					time.Sleep(time.Minute)
					_ = first.Release(context.Background())
				}()
				begin := time.Now()
				l := must(c.Acquire(t.Context(), "job"))(t)
				if took := time.Since(begin); took < time.Minute || took > time.Minute+time.Second {
					t.Errorf("acquired after %v, want soon after 1m", took)
				}
				noErr(t, l.Release(t.Context()))
			})
		})
	}
}

type deaf struct{}

func (deaf) Wait(context.Context, string) error { return driver.ErrUnsupported }

// A lost reply is resolved by asking again as the same owner: one hold, one
// token.
func TestAcquireAfterLostReply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		locks := &faulty{Locks: memfence.NewLocks()}
		calls := 0
		locks.acquire = func(ctx context.Context, r driver.Request) (driver.Hold, error) {
			h, err := locks.Locks.Acquire(ctx, r)
			if calls++; calls == 1 {
				return driver.Hold{}, driver.ErrUncertain
			}
			return h, err
		}
		store := memfence.NewStore()
		var uncertain int
		c := bubbleClient(locks, fence.WithTrace(&fence.Trace{Uncertain: func(fence.Event) { uncertain++ }}))
		wantErr(t, second(c.TryAcquire(t.Context(), "other")), fence.ErrUncertain)

		calls = 0
		l := must(c.Acquire(t.Context(), "job", fence.Guarding(store)))(t)
		if g := must(l.Grant(store))(t); g.Token != 1 {
			t.Errorf("grant %v: the repeated request took a second token", g)
		}
		if uncertain != 2 {
			t.Errorf("%d uncertain events, want 2", uncertain)
		}
		noErr(t, l.Release(t.Context()))
	})
}

// Renewal, extension, release and questions at the same time.
func TestLeaseConcurrently(t *testing.T) {
	t.Parallel()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	c := fence.New(locks, fence.WithTTL(50*time.Millisecond), fence.WithKeepAlive(time.Millisecond))
	for range 20 {
		l := must(c.Acquire(t.Context(), "job", fence.Guarding(store)))(t)
		done := make(chan struct{})
		for range 4 {
			go func() {
				defer func() { done <- struct{}{} }()
				for range 5 {
					_ = l.Extend(context.Background(), 50*time.Millisecond)
					_, _ = l.Grant(store)
					_ = l.String()
				}
			}()
		}
		for range 4 {
			<-done
		}
		_ = l.Release(t.Context())
		wantErr(t, l.Release(t.Context()), fence.ErrNotOwner)
	}
}
