package driver

import (
	"errors"
	"fmt"
)

// Errors that adapters return, to be tested with errors.Is.
var (
	// ErrNotAcquired: another owner holds the lock. Nothing changed.
	ErrNotAcquired = errors.New("fence: lock is held by another owner")

	// ErrNotOwner: the hold is not, or no longer, the current one; nothing was
	// extended or released.
	ErrNotOwner = errors.New("fence: not the owner of the lock")

	// ErrStale: the guard does not show this grant. A newer ownership exists, or
	// the guard is missing or was restored. The write was not made. Always an
	// *StaleError. Do not retry with the same grant.
	ErrStale = errors.New("fence: stale grant")

	// ErrIssuer: the guard's record was made by another issuer, so its tokens
	// cannot be compared with these. Nothing changed.
	ErrIssuer = errors.New("fence: guard belongs to another issuer")

	// ErrRegressed: the lock service issues tokens at or below one that a guard
	// has seen: its sequence was lost or restored. Found by package fence with
	// the help of Issuer and Guard.Seen; adapters need not return it.
	ErrRegressed = errors.New("fence: token issuer went backwards")

	// ErrBusy: somebody's open transaction holds the guard, or the record of the
	// lock, for longer than the store's lock timeout. Nothing changed; try again
	// later.
	ErrBusy = errors.New("fence: busy")

	// ErrDuplicate: OncePerRequest and this request id was applied before, by this
	// or an earlier grant. Not applied again. Always a *DuplicateError.
	ErrDuplicate = errors.New("fence: request was applied before")

	// ErrUncertain: the request was sent and its reply was lost: it may or may
	// not have taken effect, or may still do so.
	ErrUncertain = errors.New("fence: outcome is uncertain")

	// ErrUnavailable: the service cannot be reached, is read-only or is not set
	// up. Certainly no effect.
	ErrUnavailable = errors.New("fence: service is unavailable")

	// ErrUnsupported: this driver, store or server cannot do it.
	ErrUnsupported = errors.New("fence: not supported")

	// ErrInvalid: an argument is malformed; nothing was sent. Always an
	// *InvalidError.
	ErrInvalid = errors.New("fence: invalid argument")
)

// A StaleError says why a guard refused a grant. errors.Is(err, ErrStale).
type StaleError struct {
	Have Grant // what the caller presented
	Seen Grant // the guard's record at about that time; zero if missing or unknown
}

// Error tells the reason; owners and tokens are shortened.
func (e *StaleError) Error() string {
	return fmt.Sprintf("%v: have %v, guard has %v", ErrStale, e.Have, e.Seen)
}

// Is reports whether target is ErrStale.
func (e *StaleError) Is(target error) bool { return target == ErrStale }

// Refused words the refusal of a guarded write or registration, given the
// record that was read afterwards: zero for none. It returns an error that
// wraps [ErrIssuer] if the record has another issuer, and a [*StaleError]
// otherwise, also if the record meanwhile equals have. It is never nil: the
// store has already refused, and a later look changes nothing about that.
func Refused(have, record Grant) error {
	if record != (Grant{}) && record.Issuer != have.Issuer {
		return fmt.Errorf("%w: have %v, guard has %v", ErrIssuer, have, record)
	}
	return &StaleError{Have: have, Seen: record}
}

// A DuplicateError names the earlier application of a request.
// errors.Is(err, ErrDuplicate).
type DuplicateError struct {
	Resource string // of the grant
	Request  string // the id that OncePerRequest was given
	Token    Token  // of the grant under which it was applied; zero if unknown
}

// Error names resource and request.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%v: %s/%s", ErrDuplicate, e.Resource, e.Request)
}

// Is reports whether target is ErrDuplicate.
func (e *DuplicateError) Is(target error) bool { return target == ErrDuplicate }

// An InvalidError names a malformed argument. errors.Is(err, ErrInvalid).
type InvalidError struct {
	What   string // "name", "resource", "owner", "issuer", "request", "ttl", "token", "grant", "guard", "locker", ...
	Reason string // a predicate: "is empty"
}

// Error names the argument, never its value.
func (e *InvalidError) Error() string { return fmt.Sprintf("%v: %s %s", ErrInvalid, e.What, e.Reason) }

// Is reports whether target is ErrInvalid.
func (e *InvalidError) Is(target error) bool { return target == ErrInvalid }
