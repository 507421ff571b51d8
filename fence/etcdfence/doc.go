// Package etcdfence keeps locks and guards in etcd, and fences transactions of
// etcd's own client, go.etcd.io/etcd/client/v3.
//
// # First, is a lock needed?
//
// If one transaction that compares a revision protects the data, use that and
// no lock. A lock with a guard is for work that is longer than one transaction.
//
// # Use
//
// A [Locker] is the lock, a [Guard] decides in the etcd that is written.
//
//	locker, err := etcdfence.NewLocker(client)
//	guard, err := etcdfence.NewGuard(client)
//	locks := fence.New(locker, fence.WithTTL(10*time.Second))
//	err = locks.Do(ctx, "job-7", func(ctx context.Context, l *fence.Lease) error {
//		grant, err := l.Grant(guard)
//		if err != nil {
//			return err
//		}
//		… read
//		_, err = guard.Txn(ctx, grant).Then(clientv3.OpPut("jobs/7", result)).Commit()
//		return err
//	}, fence.Registering(guard))
//
// There are three forms of a fenced transaction. Each is one request to etcd,
// whose conditions and changes are one atomic step.
//
//   - [Guard.Txn] compares the guard's record with the grant. The grant may
//     come from any lock: a Locker, a lock in another cluster, a claim.
//   - [Locker.Txn] compares the key of the lock itself. It needs no guard and
//     no registration, because the acquisition has told this etcd already. It
//     also refuses a holder whose lease has ended while nobody has followed.
//   - [Tenure.Txn] is the same for a lock of package concurrency, a Mutex or an
//     Election, that the program keeps as it is. [Tenure.Grant] is what to
//     register at a guard elsewhere, in an SQL database for instance.
//
// A fenced transaction covers the keys of one cluster. Another cluster or store
// that is written in the same work needs a guard and a registration of its
// own, and the writes to both are not one transaction.
//
// # Tokens
//
// A token is the create revision of the lock's key, which grows with every
// change in the cluster; the issuer is the cluster's id. Both come with the
// answer to the acquisition. [Locker.Raise] adds an offset that is kept beside
// the lock, so that tokens can go on above those of a past that was lost.
//
// # After a restore
//
// A cluster that is restored from a snapshot is an old cluster. Its revisions,
// locks and guards are those of the snapshot, and revisions are used again.
//
//   - If the restore gives the cluster another id (another
//     --initial-cluster-token or other peer addresses), a guard outside of it
//     refuses the new tokens with driver.ErrIssuer. See fence.WithAdopt.
//   - If the id is the same, a guard outside that has seen a higher token
//     refuses, and package fence reports ErrRegressed. See fence.HealForward.
//   - A guard inside is restored together with the data. It takes writes of
//     the ownership that the snapshot shows and of nobody else. Acknowledged
//     writes after the snapshot are gone, and no guard can tell.
//   - Tokens that no guard has seen cannot be told from new ones by order.
//     Equality of token and owner still lets one holder write at a time.
//
// Restore with etcdutl's --bump-revision and --mark-compacted where it has
// them: revisions then stay ahead of those that were lost, and nothing of the
// above is needed.
//
// # Liveness
//
// Leases are counted in whole seconds, rounded up, and etcd does not grant one
// shorter than its election timeout and a half. A new leader starts all leases
// again, so they can last longer than asked for, never shorter.
//
// # Round trips
//
// Release, Register, Claim, Adopt, Seen and every fenced transaction are one
// request each; after a Release the emptied lease is revoked in the
// background. Acquire and Extend are two, the grant of a lease and the
// transaction that binds the key to it. A name that was raised may take one
// more now and then.
//
// # Keys
//
// Everything is below one prefix, "fence/" unless [WithPrefix] says otherwise:
// lock/<name>/<owner> with a lease, issued/<name>, base/<name> (only after a
// Raise), guard/<resource>, request/<resource>/<request>. Never delete issued,
// base and guard keys. Who can write below the prefix can forge ownership:
// give that permission to the workers alone.
package etcdfence
