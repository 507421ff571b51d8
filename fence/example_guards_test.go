package fence_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/memfence"
)

// Each store that is written has a guard of its own. The two registrations, and
// the two writes, are not one transaction.
func ExampleRegistering() {
	ctx := context.Background()
	orders, stock := memfence.NewStore(), memfence.NewStore()
	client := fence.New(memfence.NewLocks(), fence.WithTTL(10*time.Second))

	err := client.Do(ctx, "order-7", func(ctx context.Context, lease *fence.Lease) error {
		grant, err := lease.Grant(orders)
		if err != nil {
			return err
		}
		if err := orders.Put(ctx, grant, "order-7", "packed"); err != nil {
			return err
		}
		if grant, err = lease.Grant(stock); err != nil {
			return err
		}
		return stock.Put(ctx, grant, "screws", "92")
	}, fence.Registering(orders, stock))
	fmt.Println(err)
	// Output: <nil>
}

// Without a registration the first write makes the token known. A store that
// has not seen the newer one takes the older.
func ExampleLazy() {
	ctx := context.Background()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	client := fence.New(locks, fence.WithTTL(10*time.Second))
	acquire := func() fence.Grant {
		lease, err := client.Acquire(ctx, "report", fence.Lazy(store))
		if err != nil {
			panic(err)
		}
		grant, err := lease.Grant(store)
		if err != nil {
			panic(err)
		}
		locks.Expire("report") // a stall
		return grant
	}
	old, young := acquire(), acquire()
	put := func(g fence.Grant, value string) bool {
		return store.Put(ctx, g, "report", value, fence.LazyWrite()) == nil
	}
	fmt.Println("old, before the young one has written:", put(old, "old"))
	fmt.Println("young:", put(young, "young"))
	fmt.Println("old, afterwards:", put(old, "old"))
	// Output:
	// old, before the young one has written: true
	// young: true
	// old, afterwards: false
}

// A lock service that has lost its counter issues tokens that the store has
// seen. The registration notices; an operator decides, or HealForward raises
// the counter.
func ExampleHealForward() {
	ctx := context.Background()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	work := func(opts ...fence.Option) error {
		client := fence.New(locks, append(opts, fence.WithTTL(10*time.Second))...)
		return client.Do(ctx, "job", func(context.Context, *fence.Lease) error { return nil }, fence.Registering(store))
	}
	for range 3 {
		if err := work(); err != nil {
			panic(err)
		}
	}
	locks.Lose("job", 1) // restored from a backup
	fmt.Println("regressed:", errors.Is(work(), fence.ErrRegressed))
	fmt.Println("healed:", work(fence.HealForward()) == nil)
	// Output:
	// regressed: true
	// healed: true
}

// A new lock service, with tokens of its own, takes the guards of the old one
// over.
func ExampleWithAdopt() {
	ctx := context.Background()
	store := memfence.NewStore()
	work := func(issuer string, opts ...fence.Option) error {
		locks := memfence.NewLocks(memfence.WithIssuer(issuer))
		client := fence.New(locks, append(opts, fence.WithTTL(10*time.Second))...)
		return client.Do(ctx, "job", func(context.Context, *fence.Lease) error { return nil }, fence.Registering(store))
	}
	fmt.Println("first service:", work("locks-1") == nil)
	fmt.Println("second, not adopted:", errors.Is(work("locks-2"), fence.ErrIssuer))
	fmt.Println("second, adopted:", work("locks-2", fence.WithAdopt()) == nil)
	// Output:
	// first service: true
	// second, not adopted: true
	// second, adopted: true
}
