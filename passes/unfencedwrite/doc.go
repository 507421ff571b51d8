// Package unfencedwrite reports a change to a store or an outside system that
// runs under a lease while nothing at the store tells a stale holder from the
// present one.
//
// A lease can expire while its holder is stalled. The holder wakes and writes,
// and no lock service can stop it: only the store can, by a condition that
// needs no lock (a version, a unique constraint), or by a fencing token that it
// compares together with the change.
//
//	mu.Lock()
//	n := read()
//	db.Exec(`UPDATE stock SET n = ?`, n-1) // perhaps by the holder before last
//
// The categories are unfenced, rmw (the value derives from a read in the
// region), unordered (a random value stands in for a token), stored (a token is
// stored and never compared), external (an outside system), partial (another
// store in the region is fenced), unguarded (the answer of the acquire is
// dropped) and escaped (the work goes on after the lease).
//
// It stays silent on reads, logs, metrics, caches and local files, on
// idempotent changes, on conditional writes of every store in the models, on
// writes in the transaction that holds the lock, and wherever the text or the
// callee is unknown.
package unfencedwrite
