// Package driver holds the few types that lock clients and stores implement
// for package fence. Applications use package fence; only adapters import
// this package directly.
//
// Two things are adapted. A [Locker] is a lock service: it says who may work.
// A [Guard] is the record, inside the store that is written, of the one
// ownership whose writes it takes: it decides. The lock is about efficiency,
// the guard is about safety, and only the guard is trusted.
//
// # The contract in short
//
// The token meets the store before the work reads. One call, [Guard.Register]
// or [Guard.Claim], puts a [Grant] on the guard. After that every write is
// checked, in one atomic step with the change itself, for equality of issuer,
// token and owner with the guard. A write never creates, raises or repairs the
// guard, so a guard that is gone, older than expected, or taken by somebody
// else refuses the write with [ErrStale]. (The lazy form, [LazyWrite], is the
// one exception and has the limits told there.)
//
// Writes differ per store, therefore no Write method exists here: an adapter
// offers the native call of its store, takes the Grant as an argument and
// [WriteOption] values for policy, and compares inside the store. A comparison
// in the worker, however late, is no fence.
//
// # Contexts
//
// A context bounds one call. If it is already done, the call sends nothing and
// returns an error that wraps ctx.Err(). If it ends while a request is under
// way, the effect is unknown: the error wraps both [ErrUncertain] and
// ctx.Err(). Register, Claim, Acquire and Extend may be repeated after
// ErrUncertain with the same arguments; a write only with a request id, see
// [OncePerRequest].
//
// # Errors
//
// Adapters return the error values of this package, wrapped with %w as they
// like. Any other error means that the call had no effect; an adapter that
// cannot be sure must say ErrUncertain. Error text never contains a whole
// owner or a whole token: print a [Grant], which shortens both.
//
// All methods of all interfaces are safe for concurrent use.
package driver
