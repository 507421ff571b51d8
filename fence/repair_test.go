package fence_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/memfence"
)

// tenure acquires, writes and releases once.
func tenure(t *testing.T, c *fence.Client, store *memfence.Store, value string) fence.Grant {
	t.Helper()
	var got fence.Grant
	noErr(t, c.Do(t.Context(), "job", func(ctx context.Context, l *fence.Lease) error {
		got = must(l.Grant(store))(t)
		return store.Put(ctx, got, "k", value)
	}, fence.Registering(store)))
	return got
}

func TestRegressIsSeenAtRegistration(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		last driver.Token // what the service remembers of 5 issued tokens
		err  error
	}{
		"far behind":   {1, fence.ErrRegressed},
		"token reused": {4, fence.ErrRegressed}, // 5 again, of another owner
		"nothing lost": {5, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			locks, store := memfence.NewLocks(), memfence.NewStore()
			regressed := 0
			c := newClient(locks, fence.WithTrace(&fence.Trace{Regressed: func(fence.Event) { regressed++ }}))
			for range 5 {
				tenure(t, c, store, "before")
			}
			locks.Lose("job", tt.last)
			l, err := c.TryAcquire(t.Context(), "job", fence.Registering(store))
			if tt.err == nil {
				noErr(t, err)
				noErr(t, l.Release(t.Context()))
				return
			}
			var back *fence.RegressedError
			if !errors.As(err, &back) || !errors.Is(err, tt.err) || errors.Is(err, fence.ErrStale) {
				t.Fatalf("error %v, want a RegressedError", err)
			}
			if back.Seen.Token != 5 || back.Have.Token != tt.last+1 || back.Issued != tt.last+1 {
				t.Errorf("have %d, seen %d, issued %d", back.Have.Token, back.Seen.Token, back.Issued)
			}
			if regressed != 1 {
				t.Errorf("traced %d times", regressed)
			}
			// The lock was given back, and the guard did not move.
			noErr(t, must(c.TryAcquire(t.Context(), "job"))(t).Release(t.Context()))
			if seen := must(store.Seen(t.Context(), "job"))(t); seen != back.Seen {
				t.Errorf("guard moved to %v", seen)
			}
		})
	}
}

func TestHealForward(t *testing.T) {
	t.Parallel()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	c := newClient(locks, fence.HealForward())
	var last fence.Grant
	for range 5 {
		last = tenure(t, c, store, "before")
	}
	locks.Lose("job", 1)
	g := tenure(t, c, store, "after")
	if g.Token <= last.Token {
		t.Errorf("healed to %v, not above %v", g, last)
	}
	wantErr(t, store.Put(t.Context(), last, "k", "stale"), fence.ErrStale)

	// A locker that cannot be asked can still see a token issued twice, but not
	// heal it.
	locks.Lose("job", g.Token-1)
	blind := newClient(struct{ driver.Locker }{locks}, fence.HealForward())
	_, err := blind.TryAcquire(t.Context(), "job", fence.Registering(store))
	wantErr(t, err, fence.ErrRegressed)
	wantErr(t, err, fence.ErrUnsupported)
}

// A loss that no guard has seen: A holds 3 and has not registered, the counter
// falls back, B registers 2.
func TestUnseenRegressIsSerial(t *testing.T) {
	t.Parallel()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	c := newClient(locks)
	tenure(t, c, store, "before")                                    // 1
	locks.Expire("job")                                              //
	a2 := must(c.Acquire(t.Context(), "job"))(t)                     // 2, unused
	noErr(t, a2.Release(t.Context()))                                //
	a := must(c.Acquire(t.Context(), "job"))(t)                      // 3, not registered
	ga := must(a.Grant(store))(t)                                    //
	locks.Lose("job", 1)                                             //
	gb := tenure(t, c, store, "b")                                   // 2
	wantErr(t, store.Put(t.Context(), ga, "k", "a"), fence.ErrStale) // equality: 3 is not 2
	if gb.Token >= ga.Token {
		t.Fatalf("the test did not lose a token: %v, %v", gb, ga)
	}
}

func TestStaleRegistrationIsNoRegress(t *testing.T) {
	t.Parallel()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	c := newClient(locks, fence.HealForward())
	// The holder stalls between the lock and its registration.
	late := &overtaken{Store: store, before: func() {
		locks.Expire("job")
		tenure(t, c, store, "young")
	}}
	stale := 0
	slow := newClient(locks, fence.HealForward(), fence.WithTrace(&fence.Trace{
		StaleRejected: func(fence.Event) { stale++ },
		Regressed:     func(e fence.Event) { t.Errorf("regress: %v", e.Err) },
	}))
	_, err := slow.Acquire(t.Context(), "job", fence.Registering(late))
	wantErr(t, err, fence.ErrStale)
	if stale != 1 {
		t.Errorf("traced %d times", stale)
	}
	if got := must(store.Get(t.Context(), "k"))(t); got != "young" {
		t.Errorf("store has %q", got)
	}
}

type overtaken struct {
	*memfence.Store
	before func()
}

func (o *overtaken) Register(ctx context.Context, g driver.Grant) error {
	if f := o.before; f != nil {
		o.before = nil
		f()
	}
	return o.Store.Register(ctx, g)
}

func TestForeignIssuer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	old, fresh := memfence.NewLocks(memfence.WithIssuer("old")), memfence.NewLocks(memfence.WithIssuer("fresh"))
	store := memfence.NewStore()
	var last fence.Grant
	for range 7 {
		last = tenure(t, newClient(old), store, "old")
	}
	_, err := newClient(fresh).Acquire(ctx, "job", fence.Registering(store))
	wantErr(t, err, fence.ErrIssuer)

	adopted := 0
	c := newClient(fresh, fence.WithAdopt(), fence.WithTrace(&fence.Trace{Adopted: func(fence.Event) { adopted++ }}))
	g := tenure(t, c, store, "fresh")
	if g.Issuer != "fresh" || g.Token <= last.Token || adopted != 1 {
		t.Fatalf("adopted %d times, grant %v", adopted, g)
	}
	wantErr(t, store.Put(ctx, last, "k", "stale"), fence.ErrIssuer)

	// Two live issuers alternate and go up.
	both := []*fence.Client{newClient(old, fence.WithAdopt()), c}
	for i := range 10 {
		next := tenure(t, both[i%2], store, "x")
		if next.Token <= g.Token {
			t.Fatalf("round %d: %v does not follow %v", i, next, g)
		}
		wantErr(t, store.Put(ctx, g, "k", "stale"), fence.ErrIssuer)
		g = next
	}

	// Guards without the ability, and guards used with claims, stay as they are.
	_, err = newClient(old, fence.WithAdopt()).Acquire(ctx, "job", fence.Registering(struct{ driver.Guard }{store}))
	wantErr(t, err, fence.ErrIssuer)
	wantErr(t, err, fence.ErrUnsupported)
	claimed := memfence.NewStore()
	must(claimed.Claim(ctx, "job", "somebody"))(t)
	_, err = c.Acquire(ctx, "job", fence.Registering(claimed))
	wantErr(t, err, fence.ErrIssuer)
	_, err = c.Acquire(ctx, "job", fence.Claiming(store))
	wantErr(t, err, fence.ErrIssuer)
}

// answers gives one error after the other, then passes on.
type answers struct {
	*memfence.Store
	errs []error
}

func (a *answers) next() error {
	if len(a.errs) == 0 {
		return nil
	}
	err := a.errs[0]
	a.errs = a.errs[1:]
	return err
}

func (a *answers) Register(ctx context.Context, g driver.Grant) error {
	if err := a.next(); err != nil {
		return err
	}
	return a.Store.Register(ctx, g)
}

func (a *answers) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	if err := a.next(); err != nil {
		return driver.Grant{}, err
	}
	return a.Store.Claim(ctx, resource, owner)
}

func TestPreparationRetries(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]func(...driver.Guard) fence.AcquireOption{"register": fence.Registering, "claim": fence.Claiming} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				guard := &answers{memfence.NewStore(), []error{driver.ErrBusy, driver.ErrUncertain, driver.ErrBusy}}
				c := bubbleClient(memfence.NewLocks())
				noErr(t, must(c.Acquire(t.Context(), "job", mode(guard)))(t).Release(t.Context()))

				for _, want := range []error{driver.ErrBusy, driver.ErrUncertain, driver.ErrUnavailable} {
					guard.errs = []error{want}
					wantErr(t, second(c.TryAcquire(t.Context(), "job", mode(guard))), want)
				}
				guard.errs = []error{driver.ErrUnavailable} // no effect, no waiting either
				wantErr(t, second(c.Acquire(t.Context(), "job", mode(guard))), driver.ErrUnavailable)
				noErr(t, must(c.TryAcquire(t.Context(), "job", mode(guard)))(t).Release(t.Context()))
			})
		})
	}
}

// A lock that has passed on while its guard was busy is not claimed.
func TestLateClaimIsNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		locks := memfence.NewLocks()
		guard := &answers{memfence.NewStore(), []error{driver.ErrBusy}}
		c := bubbleClient(locks, fence.WithRetry(2*ttl, 2*ttl), fence.WithoutKeepAlive())
		_, err := c.Acquire(t.Context(), "job", fence.Claiming(guard))
		wantErr(t, err, fence.ErrLost)
		if seen := must(guard.Seen(t.Context(), "job"))(t); seen != (fence.Grant{}) {
			t.Errorf("guard has %v", seen)
		}
	})
}

// A lock service that is busy is asked again; TryAcquire does not wait.
func TestBusyLockService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		locks := &faulty{Locks: memfence.NewLocks()}
		calls := 0
		locks.acquire = func(ctx context.Context, r driver.Request) (driver.Hold, error) {
			if calls++; calls%3 != 0 {
				return driver.Hold{}, driver.ErrBusy
			}
			return locks.Locks.Acquire(ctx, r)
		}
		c := bubbleClient(locks)
		wantErr(t, second(c.TryAcquire(t.Context(), "job")), fence.ErrBusy)
		noErr(t, must(c.Acquire(t.Context(), "job"))(t).Release(t.Context()))
		if calls != 3 {
			t.Errorf("%d requests, want 3", calls)
		}
	})
}
