// Package redisfence keeps leases and guards in Redis, for clients of go-redis:
// a single server, Sentinel, Cluster.
//
// # First, is a lock needed?
//
// If one script protects the data by a condition of its own, as
// compare-and-set does, use that and no lock. A lock with a guard is for work
// that is longer than one script.
//
// # Use
//
// A [Locker] is the lease. A [Guard] decides in the Redis that is written. Both
// may be on one Redis or on two, and the guard may be of another kind: of
// sqlfence, for data in a database.
//
//	locker, err := redisfence.NewLocker(ctx, rdb)
//	guard, err := redisfence.NewGuard(ctx, rdb)
//	client := fence.New(locker, fence.WithTTL(10*time.Second), fence.WithAdopt())
//	err = client.Do(ctx, "account-7", func(ctx context.Context, l *fence.Lease) error {
//		grant, err := l.Grant(guard)
//		if err != nil {
//			return err
//		}
//		… read and compute …
//		_, err = guard.Eval(ctx, grant, withdraw, []string{"balance:{account-7}"}, []any{amount})
//		return err
//	}, fence.Registering(guard))
//
// A guarded write is a [Script], whose check and change are one atomic step.
// Every write to the guarded data must be one; a plain SET beside it is not
// stopped by anything. A guard covers one Redis, and in a cluster one slot:
// another store that is written in the same work needs a guard and a
// registration of its own, and the writes to both are no transaction.
//
// # What Redis must be
//
// Records of guards and counters of tokens live for ever, so maxmemory-policy
// must be noeviction: [NewLocker] and [NewGuard] ask for it, once. Nobody else
// may delete them or let them expire. A guard that is gone refuses its holder,
// and the next holder makes it again; a counter that is gone is noticed when a
// guard has seen more, as fence.ErrRegressed.
//
// Redis acknowledges before its replicas know, and before the disk does unless
// appendfsync is always. So a failover or a power cut can lose the last tokens,
// which are then issued again. What happens depends on what guards have seen:
//
//   - By default the issuer of tokens is the replication id of the server that
//     counts, which is another one after every start and every failover. A
//     guard that knows the old one answers driver.ErrIssuer, also when nothing
//     was lost. fence.WithAdopt hands it over to the new one; an operator may.
//   - With [WithIssuer] the name stays. A guard that has seen a higher token
//     answers fence.ErrRegressed, and fence.HealForward repairs the counter.
//     One that has not cannot tell: then the guard takes holders in the order
//     in which they come to it. Their work is serial and no update is lost,
//     yet an older holder can pre-empt a younger one.
//
// If the guard's own Redis fails over, it is an older store: writes that it has
// acknowledged and forgotten are gone, as without a guard, and holders that it
// does not know are refused. WAIT and min-replicas-to-write make that rarer and
// do not prevent it. Data that must not be lost this way belongs into a store
// that is not replicated behind its acknowledgements.
//
// The server's wall clock decides when leases end and requests are forgotten. A
// clock that jumps ends them early or late; early ends are what guards are for.
//
// # Keys
//
//	fence:lock:{tag}:name            owner/token/issuer of the lease; ends by itself
//	fence:token:{tag}                the counter of all locks of a tag
//	fence:guard:{tag}:resource       token/owner/issuer of the ownership that may write
//	fence:request:{tag}:resource:id  the token under which a request was applied
//
// See [WithPrefix] and [WithTag]. On a cluster, keys that are written together
// with a guard must be in its slot: by default they have {resource} in them.
//
// # Requests
//
// Acquire, Extend, Release, Register, Claim and Eval are one round trip each,
// and one more when a server has not met the script before. None is sent twice
// by the client, whatever its MaxRetries: a lost reply is reported as
// driver.ErrUncertain, and package fence repeats what may be repeated. How long
// a call waits for a server that is silent is the client's ReadTimeout; with
// ContextTimeoutEnabled also its context. A Ring is not supported.
//
// Owners and tokens are hidden from hooks that print arguments. They are whole
// on the wire and in MONITOR and SLOWLOG.
package redisfence
