// Package lockresult reports locks that are not what their taker believes: not
// taken, not freed, without an end, or taken by two.
//
//	locker.Lock(ctx, "report") // yes or no, the report is sent
//
// The categories are lockresultignored (nothing looks at the answer of the
// acquire), nonatomicttl (the expiry is set in a second command), keymismatch
// (taken under one key, freed under another), acquirenotatomic (a look, then a
// write), retrynotidempotent (a try whose answer was lost makes the next one
// meet its own record), ambiguousresult (an unclear answer taken for a
// refusal) and modeasvalue (SET stores the word NX).
//
// It stays silent where the answer reaches a branch, a caller or a field, on
// pairs of keys of which one part cannot be read, and on commands that are
// queued to take effect together.
package lockresult
