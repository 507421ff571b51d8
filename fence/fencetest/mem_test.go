package fencetest_test

import (
	"context"
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/memfence"
)

// guardHarness is the harness of the in-memory store.
func guardHarness(testing.TB) *fencetest.GuardHarness {
	s := memfence.NewStore()
	return &fencetest.GuardHarness{
		Guard:    s,
		Write:    s.Put,
		Read:     s.Get,
		Features: fencetest.Features{Lazy: true, Once: true, Adopter: true},
		Record: func(_ context.Context, g driver.Grant) error {
			s.SetRecord(g)
			return nil
		},
		WriteUnheard: func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			_ = s.Put(ctx, g, key, value, opts...)
			return driver.ErrUncertain
		},
		WriteAround: func(ctx context.Context, g driver.Grant, key, value string, between func()) error {
			between() // check and change are one step: before it
			return s.Put(ctx, g, key, value)
		},
	}
}

func lockHarness(opts ...memfence.LocksOption) fencetest.NewLock {
	return func(testing.TB) *fencetest.LockHarness {
		l := memfence.NewLocks(opts...)
		return &fencetest.LockHarness{
			Locker: l,
			Expire: func(_ context.Context, name string) error { l.Expire(name); return nil },
			ReleaseAround: func(ctx context.Context, h driver.Hold, between func()) error {
				between() // one step: before it
				return l.Release(ctx, h)
			},
			Lose: func(_ context.Context, name string, last driver.Token) error {
				l.Lose(name, last)
				return nil
			},
		}
	}
}

func TestStore(t *testing.T) { fencetest.TestGuard(t, guardHarness) }

func TestLocks(t *testing.T) { fencetest.TestLocker(t, lockHarness()) }

// Without the hook that ends leases, the suite waits for them.
func TestLocksWithoutHooks(t *testing.T) {
	t.Parallel()
	fencetest.TestLocker(t, func(tb testing.TB) *fencetest.LockHarness {
		h := lockHarness()(tb)
		h.Expire, h.Lose = nil, nil
		return h
	})
}

func TestUnorderedLocks(t *testing.T) {
	t.Parallel()
	fencetest.TestLocker(t, func(tb testing.TB) *fencetest.LockHarness {
		h := lockHarness(memfence.Unordered())(tb)
		h.Unordered = true
		return h
	})
}
