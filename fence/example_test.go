package fence_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/memfence"
)

func Example() {
	ctx := context.Background()
	locks := memfence.NewLocks() // in production: an adapter for your lock service
	store := memfence.NewStore() // in production: an adapter for your store

	client := fence.New(locks, fence.WithTTL(10*time.Second))
	err := client.Do(ctx, "invoice-42", func(ctx context.Context, lease *fence.Lease) error {
		grant, err := lease.Grant(store)
		if err != nil {
			return err
		}
		total, err := store.Get(ctx, "total")
		if err != nil {
			return err
		}
		return store.Put(ctx, grant, "total", total+"+10")
	}, fence.Guarding(store))

	total, _ := store.Get(ctx, "total")
	fmt.Println(total, err)
	// Output: +10 <nil>
}

// A holder stalls, its lease ends, another takes over and writes. Whatever the
// first one does afterwards, the store refuses it.
func Example_staleHolder() {
	ctx := context.Background()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	client := fence.New(locks, fence.WithTTL(10*time.Second))

	old, _ := client.Acquire(ctx, "report", fence.Guarding(store))
	oldGrant, _ := old.Grant(store)

	locks.Expire("report") // the holder is stopped for longer than its lease

	_ = client.Do(ctx, "report", func(ctx context.Context, lease *fence.Lease) error {
		grant, err := lease.Grant(store)
		if err != nil {
			return err
		}
		return store.Put(ctx, grant, "report", "by the new holder")
	}, fence.Guarding(store))

	err := store.Put(ctx, oldGrant, "report", "by the old holder")
	report, _ := store.Get(ctx, "report")
	fmt.Println("stale:", errors.Is(err, fence.ErrStale))
	fmt.Println("report:", report)
	fmt.Println("old release:", errors.Is(old.Release(ctx), fence.ErrNotOwner))
	// Output:
	// stale: true
	// report: by the new holder
	// old release: true
}

// A write whose reply was lost is settled by its request id: here by the next
// holder.
func ExampleOncePerRequest() {
	ctx := context.Background()
	store := memfence.NewStore()
	client := fence.New(memfence.NewLocks(), fence.WithTTL(10*time.Second))

	pay := func() error {
		return client.Do(ctx, "account-7", func(ctx context.Context, lease *fence.Lease) error {
			grant, err := lease.Grant(store)
			if err != nil {
				return err
			}
			return store.Put(ctx, grant, "payment", "10 EUR", fence.OncePerRequest("payment-1001"))
		}, fence.Guarding(store))
	}
	fmt.Println("first:", pay()) // suppose this answer never arrived
	fmt.Println("second is a duplicate:", errors.Is(pay(), fence.ErrDuplicate))
	// Output:
	// first: <nil>
	// second is a duplicate: true
}

// Locks without ordered tokens can be used too: the store issues them.
func ExampleClaiming() {
	ctx := context.Background()
	store := memfence.NewStore()
	client := fence.New(memfence.NewLocks(memfence.Unordered()), fence.WithTTL(10*time.Second))

	lease, err := client.TryAcquire(ctx, "job", fence.Claiming(store))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer lease.Release(ctx)
	grant, err := lease.Grant(store)
	fmt.Println(grant.Issuer, int64(grant.Token), err)
	// Output: store 1 <nil>
}

func ExampleClient_TryAcquire() {
	ctx := context.Background()
	client := fence.New(memfence.NewLocks(), fence.WithTTL(10*time.Second))

	lease, _ := client.TryAcquire(ctx, "nightly")
	_, err := client.TryAcquire(ctx, "nightly")
	fmt.Println("held:", errors.Is(err, fence.ErrNotAcquired))
	fmt.Println("released:", lease.Release(ctx) == nil)
	// Output:
	// held: true
	// released: true
}

// Count what matters: refused stale results.
func ExampleTrace() {
	ctx := context.Background()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	refused := 0
	client := fence.New(locks, fence.WithTTL(10*time.Second), fence.WithTrace(&fence.Trace{
		StaleRejected: func(fence.Event) { refused++ },
	}))
	_ = client.Do(ctx, "job", func(ctx context.Context, lease *fence.Lease) error {
		locks.Expire("job") // a stall
		if err := client.Do(ctx, "job", func(context.Context, *fence.Lease) error { return nil }, fence.Guarding(store)); err != nil {
			return err
		}
		grant, err := lease.Grant(store)
		if err != nil {
			return err
		}
		return store.Put(ctx, grant, "k", "late")
	}, fence.Guarding(store))
	fmt.Println("refused:", refused)
	// Output: refused: 1
}

func ExampleFromContext() {
	ctx := context.Background()
	store := memfence.NewStore()
	client := fence.New(memfence.NewLocks(), fence.WithTTL(10*time.Second))

	// A repository that takes the grant from the context, and hands it on.
	save := func(ctx context.Context, value string) error {
		grant, ok := fence.FromContext(ctx)
		if !ok {
			return errors.New("save needs a lease")
		}
		return store.Put(ctx, grant, "k", value)
	}
	err := client.Do(ctx, "job", func(ctx context.Context, _ *fence.Lease) error {
		return save(ctx, "v")
	}, fence.Guarding(store))
	fmt.Println(err, "/", save(ctx, "v"))
	// Output: <nil> / save needs a lease
}
