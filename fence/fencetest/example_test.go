package fencetest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/memfence"
)

// In a test of your own adapter, with your store in the place of memfence.
func ExampleTestGuard() {
	_ = func(t *testing.T) { // func TestGuard(t *testing.T)
		fencetest.TestGuard(t, func(testing.TB) *fencetest.GuardHarness {
			store := memfence.NewStore()
			return &fencetest.GuardHarness{
				Guard: store,
				Write: store.Put,
				Read:  store.Get,
			}
		})
	}
}

// The same for an adapter of a lock service.
func ExampleTestLocker() {
	_ = func(t *testing.T) { // func TestLocker(t *testing.T)
		fencetest.TestLocker(t, func(testing.TB) *fencetest.LockHarness {
			locks := memfence.NewLocks()
			return &fencetest.LockHarness{
				Locker: locks,
				Expire: func(_ context.Context, name string) error { locks.Expire(name); return nil },
			}
		})
	}
}

// Without a strict guard a random schedule loses updates; with one it does not.
func ExampleSchedule() {
	lost := map[fencetest.Mode]bool{}
	for _, mode := range []fencetest.Mode{fencetest.Unfenced, fencetest.RegisterMode} {
		for seed := range uint64(50) {
			locks, store := memfence.NewLocks(), memfence.NewStore()
			world := fencetest.World{
				Locker: locks,
				Guard:  store,
				Write: func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
					if mode == fencetest.Unfenced {
						return store.PutUnfenced(ctx, key, value)
					}
					return store.Put(ctx, g, key, value, opts...)
				},
				Read:   store.Get,
				Expire: func(_ context.Context, name string) error { locks.Expire(name); return nil },
			}
			r, err := fencetest.Schedule(context.Background(), world, fencetest.Plan{Seed: seed, Mode: mode, Name: "job"})
			if err != nil {
				fmt.Println(err)
			}
			lost[mode] = lost[mode] || r.Lost > 0
		}
	}
	fmt.Println("unfenced loses:", lost[fencetest.Unfenced])
	fmt.Println("registered loses:", lost[fencetest.RegisterMode])
	// Output:
	// unfenced loses: true
	// registered loses: false
}
