// Package keyonlyrelease reports code that frees or prolongs a lock by its
// name alone.
//
// A lease can expire while its holder is stalled, and by the time the holder
// wakes the lock may belong to somebody else. A release that only names the
// lock then frees, or prolongs, the lock of the new holder. The store must
// compare the owner in the same step in which it deletes.
//
//	ok, err := rdb.SetNX(ctx, "lock:"+id, token, ttl).Result()
//	...
//	rdb.Del(ctx, "lock:"+id) // whoever holds it now
//
// The categories are keyonly (a plain delete or expire), getthendel (the owner
// is compared in the worker, then deleted in a second step), constowner (the
// store compares a value that all holders share), luakeyonly (a script that
// does not compare) and notacquired (a release that is deferred before the
// answer of the acquire is looked at, so that losers free the winner's lock).
//
// It stays silent on releases of lock libraries, which compare; on scripts,
// statements and transactions that compare owner, token or version; on locks
// that cannot expire; and on forced unlocks by an administrator.
package keyonlyrelease
