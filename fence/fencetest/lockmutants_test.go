package fencetest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/memfence"
)

// locks lets mutants replace single methods. It also remembers the current
// holds, as a lock service that can be asked by name alone would.
type locks struct {
	*memfence.Locks
	acquire func(context.Context, driver.Request) (driver.Hold, error)
	extend  func(context.Context, driver.Hold, time.Duration) error
	release func(context.Context, driver.Hold) error
	issued  func(context.Context, string) (driver.Token, error)
	raise   func(context.Context, string, driver.Token) error

	mu    sync.Mutex
	holds map[string]driver.Hold // the last hold of each name
}

func (l *locks) Acquire(ctx context.Context, r driver.Request) (driver.Hold, error) {
	acquire := l.acquire
	if acquire == nil {
		acquire = l.Locks.Acquire
	}
	h, err := acquire(ctx, r)
	if err == nil {
		l.mu.Lock()
		l.holds[r.Name] = h
		l.mu.Unlock()
	}
	return h, err
}

func (l *locks) Extend(ctx context.Context, h driver.Hold, d time.Duration) error {
	if l.extend != nil {
		return l.extend(ctx, h, d)
	}
	return l.Locks.Extend(ctx, h, d)
}

func (l *locks) Release(ctx context.Context, h driver.Hold) error {
	if l.release != nil {
		return l.release(ctx, h)
	}
	return l.Locks.Release(ctx, h)
}

func (l *locks) Issued(ctx context.Context, name string) (driver.Token, error) {
	if l.issued != nil {
		return l.issued(ctx, name)
	}
	return l.Locks.Issued(ctx, name)
}

func (l *locks) Raise(ctx context.Context, name string, to driver.Token) error {
	if l.raise != nil {
		return l.raise(ctx, name, to)
	}
	return l.Locks.Raise(ctx, name, to)
}

// current is the last hold of name, whether or not it has ended.
func (l *locks) current(name string) driver.Hold {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holds[name]
}

type lockMutant struct {
	caught string
	breaks func(*locks, *fencetest.LockHarness)
}

var lockMutants = map[string]lockMutant{
	"key-only release": {"hold/release by another", func(l *locks, _ *fencetest.LockHarness) {
		l.release = func(ctx context.Context, h driver.Hold) error {
			if h.Name == "" {
				return driver.ErrInvalid
			}
			_ = l.Locks.Release(ctx, l.current(h.Name))
			return nil
		}
	}},
	"get then delete": {"lease/end during a release", func(l *locks, h *fencetest.LockHarness) {
		h.ReleaseAround = func(ctx context.Context, h driver.Hold, between func()) error {
			if l.current(h.Name) != h {
				return driver.ErrNotOwner
			}
			between()
			return l.Locks.Release(ctx, l.current(h.Name))
		}
	}},
	"release without comparing token": {"hold/release with another token", func(l *locks, _ *fencetest.LockHarness) {
		l.release = func(ctx context.Context, h driver.Hold) error {
			if now := l.current(h.Name); now.Owner == h.Owner {
				h = now
			}
			return l.Locks.Release(ctx, h)
		}
	}},
	"release says nothing": {"hold/release twice", func(l *locks, _ *fencetest.LockHarness) {
		l.release = func(ctx context.Context, h driver.Hold) error {
			if err := l.Locks.Release(ctx, h); !errors.Is(err, driver.ErrNotOwner) {
				return err
			}
			return nil
		}
	}},
	"release forgets the counter": {"hold/release frees, tokens grow", func(l *locks, _ *fencetest.LockHarness) {
		l.release = func(ctx context.Context, h driver.Hold) error {
			err := l.Locks.Release(ctx, h)
			if err == nil {
				l.Lose(h.Name, 0)
			}
			return err
		}
	}},
	"expiry forgets the counter": {"lease/ends", func(l *locks, h *fencetest.LockHarness) {
		h.Expire = func(_ context.Context, name string) error { l.Lose(name, 0); return nil }
	}},
	"extend without comparing owner": {"lease/extension by another", func(l *locks, _ *fencetest.LockHarness) {
		l.extend = func(ctx context.Context, h driver.Hold, d time.Duration) error {
			if err := l.Locks.Extend(ctx, h, d); !errors.Is(err, driver.ErrNotOwner) {
				return err
			}
			return l.Locks.Extend(ctx, l.current(h.Name), d)
		}
	}},
	"extend revives": {"lease/ended is not revived", func(l *locks, _ *fencetest.LockHarness) {
		l.extend = func(ctx context.Context, h driver.Hold, d time.Duration) error {
			err := l.Locks.Extend(ctx, h, d)
			if errors.Is(err, driver.ErrNotOwner) && l.current(h.Name) == h {
				_, err = l.Locks.Acquire(ctx, driver.Request{Name: h.Name, Owner: h.Owner, TTL: d})
			}
			return err
		}
	}},
	"extend does nothing": {"lease/extension prolongs", func(l *locks, _ *fencetest.LockHarness) {
		l.extend = func(ctx context.Context, h driver.Hold, d time.Duration) error {
			return l.Locks.Extend(ctx, h, 100*time.Millisecond)
		}
	}},
	"acquire not idempotent": {"hold/same owner again", func(l *locks, _ *fencetest.LockHarness) {
		l.acquire = func(ctx context.Context, r driver.Request) (driver.Hold, error) {
			if now := l.current(r.Name); now.Owner == r.Owner {
				_ = l.Locks.Release(ctx, now)
			}
			return l.Locks.Acquire(ctx, r)
		}
	}},
	"one owner keeps its token for ever": {"lease/same owner after the end", func(l *locks, _ *fencetest.LockHarness) {
		l.acquire = func(ctx context.Context, r driver.Request) (driver.Hold, error) {
			before := l.current(r.Name)
			h, err := l.Locks.Acquire(ctx, r)
			if err == nil && before.Owner == r.Owner {
				h.Token = before.Token
			}
			return h, err
		}
	}},
	"failed acquire renews": {"lease/failed request renews nothing", func(l *locks, _ *fencetest.LockHarness) {
		l.acquire = func(ctx context.Context, r driver.Request) (driver.Hold, error) {
			h, err := l.Locks.Acquire(ctx, r)
			if errors.Is(err, driver.ErrNotAcquired) && r.Name == "n" { // not the marker that tells the time
				_ = l.Locks.Extend(ctx, l.current(r.Name), r.TTL)
			}
			return h, err
		}
	}},
	"check then set": {"hold/all at once", func(l *locks, _ *fencetest.LockHarness) {
		l.acquire = func(ctx context.Context, r driver.Request) (driver.Hold, error) {
			if r.WellFormed() != nil {
				return l.Locks.Acquire(ctx, r)
			}
			probe := driver.Request{Name: r.Name, Owner: "probe-of-" + r.Owner[:min(len(r.Owner), 99)], TTL: time.Minute}
			h, err := l.Locks.Acquire(ctx, probe)
			if err != nil {
				return h, err
			}
			_ = l.Locks.Release(ctx, h)      // it was free
			time.Sleep(5 * time.Millisecond) // the others are quicker
			l.Expire(r.Name)
			return l.Locks.Acquire(ctx, r)
		}
	}},
	"names without case": {"hold/names are apart", func(l *locks, _ *fencetest.LockHarness) {
		l.acquire = func(ctx context.Context, r driver.Request) (driver.Hold, error) {
			name := r.Name
			r.Name, r.Owner = strings.ToLower(name), r.Owner+"-"+name
			h, err := l.Locks.Acquire(ctx, r)
			h.Name = name
			return h, err
		}
	}},
	"no comparison of zero ttl": {"hold/bad input", func(l *locks, _ *fencetest.LockHarness) {
		l.acquire = func(ctx context.Context, r driver.Request) (driver.Hold, error) {
			r.TTL = max(r.TTL, driver.MinTTL)
			return l.Locks.Acquire(ctx, r)
		}
	}},
	"issuer forgets at release": {"issuer/knows its tokens", func(l *locks, _ *fencetest.LockHarness) {
		l.issued = func(ctx context.Context, name string) (driver.Token, error) {
			if _, err := l.Locks.Acquire(ctx, driver.Request{Name: name, Owner: "probe", TTL: time.Minute}); err == nil {
				l.Expire(name)
				return 0, nil
			}
			return l.Locks.Issued(ctx, name)
		}
	}},
	"raise lowers": {"issuer/raise", func(l *locks, _ *fencetest.LockHarness) {
		l.raise = func(ctx context.Context, name string, to driver.Token) error {
			if err := l.Locks.Raise(ctx, name, to); err != nil {
				return err
			}
			if now, _ := l.Locks.Issued(ctx, name); now > to {
				l.Lose(name, to)
			}
			return nil
		}
	}},
	"raise frees": {"issuer/raise", func(l *locks, _ *fencetest.LockHarness) {
		l.raise = func(ctx context.Context, name string, to driver.Token) error {
			l.Expire(name)
			return l.Locks.Raise(ctx, name, to)
		}
	}},
}

func TestLockMutantsFail(t *testing.T) {
	t.Parallel()
	if got := fencetest.LockFailures(t, lockHarness()); len(got) != 0 {
		t.Fatalf("the sound lock fails %v", got)
	}
	for name, m := range lockMutants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failures := fencetest.LockFailures(t, func(tb testing.TB) *fencetest.LockHarness {
				h := lockHarness()(tb)
				l := &locks{Locks: h.Locker.(*memfence.Locks), holds: make(map[string]driver.Hold)}
				h.Locker = l
				m.breaks(l, h)
				return h
			}, m.caught)
			if len(failures) == 0 {
				t.Fatalf("%q passed", m.caught)
			}
		})
	}
}
