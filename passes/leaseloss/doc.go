// Package leaseloss reports holders that do not learn, or do not care, that
// they have lost their lease.
//
// A lost lease does not stop its holder. Clients tell it: by a channel, a
// context, the answer of a renewal. Who does not listen works on beside the
// next holder for as long as it runs. Listening is no proof of ownership, and
// no substitute for a condition at the store; it keeps the overlap short.
//
//	conn, _, err := zk.Connect(servers, timeout) // nobody hears of the expiry
//
// The categories are lostsignalignored (a channel, session or renewal whose end
// goes nowhere), leaderctxdropped (a callback that works on another context
// than that of the leadership), keepalivectx (the renewal runs on a context
// that ends before the work), renewresultignored (a failed renewal changes
// nothing), blindrenew (a renewal that asks for no owner) and silentreacquire
// (a lost lock is taken anew as if it had been held all the time).
//
// It stays silent where the signal, the context or the answer reaches anything
// but a log, and on leases that guard nothing in the package in sight.
package leaseloss
