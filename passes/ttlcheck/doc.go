// Package ttlcheck reports a change that hangs on a check, made in the worker,
// that the lease is still held.
//
// Between the check and the change the lease can run out: the worker may be
// stopped for longer than the lease lives. No check in the worker protects the
// store, however late it is made; only the store can, by comparing a version,
// an owner or a fencing token together with the change.
//
//	if elector.IsLeader() {
//		db.Exec(`UPDATE routes SET color = ?`, color) // perhaps no longer
//	}
//
// The categories name the check: ownercheck, ttlremaining, clock, tokencompare,
// extendcheck, lostsignal, takeover.
//
// It stays silent when the check only ends the work or feeds a metric, when
// the change is conditional or fenced at the store, and on expiries that are
// no leases: sessions, caches, certificates, tokens of an API.
package ttlcheck
