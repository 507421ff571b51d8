// Package releaseorder reports releases that do not arrive, or come before what
// they have to come after.
//
//	defer l.Unlock(r.Context()) // the client hung up: nothing is sent
//
// The categories are unlockcancelledctx (the release runs on a context that may
// have ended by then), releasebeforecommit (the next holder reads the state
// before the transaction), releasebeforestop (a renewal by key alone may still
// run and prolong the lock of the next holder) and releasebeforeworkends (what
// was started under the lock is waited for after the release).
//
// It stays silent on contexts that are detached, or made for the release, on
// leases that end with their session as well, and where the order cannot be
// read.
package releaseorder
