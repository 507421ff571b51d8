// Package fence takes distributed locks whose late writes a store refuses.
//
// A lock with a lease does not stop its holder. A worker that stalls (garbage
// collection, a paused machine, the network) wakes after its lease has ended
// and somebody else has written, and writes too. No check in the worker
// prevents that: the stall can come right after the check. Only the store can
// refuse, in the same atomic step in which it would make the change.
//
// First ask whether a lock is needed: where a conditional update or a unique
// constraint protects the data, prefer it.
//
//	client := fence.New(locker, fence.WithTTL(10*time.Second))
//	err := client.Do(ctx, "invoice-42", func(ctx context.Context, lease *fence.Lease) error {
//		grant, err := lease.Grant(guard)
//		if err != nil {
//			return err
//		}
//		// read, compute, then write through the store's adapter with grant
//		return store.Put(ctx, grant, "total", total)
//	}, fence.Guarding(guard))
//
// [Guarding] makes the store know the new ownership before the function
// starts, hence before it reads. From then on the store takes writes of this
// ownership only; an older one gets [ErrStale].
//
// # What it does not do
//
// A guard covers the one store it lives in. Several guards are registered one
// after the other; that is no transaction over the stores, and a store without
// guard stays open to late writes. An outside system that cannot compare
// tokens cannot be fenced at all: use idempotency keys, conditional requests
// and reconciliation there.
//
// Losing the lease cancels contexts with cause [ErrLost]. That saves work; it
// is not protection. For this reason a [Lease] cannot be asked whether it is
// still held or for how long. Nor is a longer TTL protection: choose it by how
// fast another worker should take over.
//
// A Client is safe for concurrent use, and so is a Lease.
package fence
