// Package tokenissue reports fencing tokens that do not follow the order of the
// holders.
//
// A token protects only if every later holder has a higher one: the counter must
// never go back, and must be counted up in the step that takes the lock.
//
//	lock.Obtain(ctx, key, ttl, nil)
//	token := rdb.Incr(ctx, "fence:"+key) // perhaps after the next holder did
//
// The categories are tokenreset (the counter has an expiry, or is deleted with
// the lock) and tokennotatomic (the token is drawn in a step of its own).
//
// A counter is one of tokens if its key says fence, epoch or generation, or
// token beside a word for a lock; it stays silent on all others.
package tokenissue
