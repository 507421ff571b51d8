package fence

import "github.com/fencelint/fencelint/fence/driver"

// The types of package driver that applications meet.
type (
	// Token is the ordered number of an ownership. See [driver.Token].
	Token = driver.Token
	// Grant is one ownership as a guard knows it. See [driver.Grant].
	Grant = driver.Grant
	// StaleError says why a guard refused. See [driver.StaleError].
	StaleError = driver.StaleError
	// DuplicateError names a request applied before. See [driver.DuplicateError].
	DuplicateError = driver.DuplicateError
	// InvalidError names a malformed argument. See [driver.InvalidError].
	InvalidError = driver.InvalidError
	// WriteOption chooses the policy of one guarded write. See [driver.WriteOption].
	WriteOption = driver.WriteOption
)

// The errors of locks, guards and guarded writes, for errors.Is.
var (
	ErrNotAcquired = driver.ErrNotAcquired // another owner holds the lock
	ErrNotOwner    = driver.ErrNotOwner    // the lease is not, or no longer, this one's
	ErrStale       = driver.ErrStale       // the guard shows another grant or none; not written; a *StaleError
	ErrIssuer      = driver.ErrIssuer      // the guard's tokens come from another issuer
	ErrRegressed   = driver.ErrRegressed   // the issuer went back behind a guard; a *RegressedError
	ErrBusy        = driver.ErrBusy        // an open transaction holds the guard; try later
	ErrDuplicate   = driver.ErrDuplicate   // this request was applied before; a *DuplicateError
	ErrUncertain   = driver.ErrUncertain   // the reply was lost; applied or not
	ErrUnavailable = driver.ErrUnavailable // certainly not applied; the service cannot be used
	ErrUnsupported = driver.ErrUnsupported // this lock or store cannot do it
	ErrInvalid     = driver.ErrInvalid     // malformed argument, nothing sent; an *InvalidError
)

// AllowSame lets one ownership write as often as it likes: the default.
func AllowSame() WriteOption { return driver.AllowSame() }

// OncePerRequest applies a write at most once for this request id and resource,
// so that a write that ended in [ErrUncertain] can be sent again, by this holder
// or by the next. See [driver.OncePerRequest].
func OncePerRequest(id string) WriteOption { return driver.OncePerRequest(id) }

// LazyWrite lets the write itself raise the guard; for leases acquired with
// [Lazy], whose limits see. See [driver.LazyWrite].
func LazyWrite() WriteOption { return driver.LazyWrite() }
