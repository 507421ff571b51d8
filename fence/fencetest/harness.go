package fencetest

import (
	"context"
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
)

// A GuardHarness gives [TestGuard] one store with a guard and guarded writes.
// Guard, Write and Read are required; a nil optional field skips the cases
// that need it. Every case gets a harness of its own and may use any resource
// and key; the records of one harness must not be visible in another, or else
// Prefix must differ. Clean up with tb.Cleanup.
type GuardHarness struct {
	// Prefix is put before every resource, key and request id: for harnesses that
	// share one database. At most 64 bytes.
	Prefix string

	// Guard is the guard under test.
	Guard driver.Guard

	// Write sets key to value if the guard shows g, as the adapter's users would
	// do it, and returns the adapter's error.
	Write func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error

	// Read returns the present value of key, unguarded, "" if there is none.
	Read func(ctx context.Context, key string) (string, error)

	// Features names what Write supports.
	Features Features

	// Record sets the guard's record of g.Resource to exactly g behind the
	// adapter's back, as a restored backup would; with only Resource set it
	// removes the record. Optional.
	Record func(ctx context.Context, g driver.Grant) error

	// WriteUnheard is Write with its reply lost after the store has applied or
	// refused it: it must return ErrUncertain. Optional.
	WriteUnheard func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error

	// WriteAround is Write that calls between after the store has looked at the
	// guard and before the change is final: inside the transaction. Where the
	// two are one request to the store, call between before it. Optional.
	WriteAround func(ctx context.Context, g driver.Grant, key, value string, between func()) error
}

// Features are the optional abilities of a [GuardHarness].
type Features struct {
	Lazy    bool // LazyWrite
	Once    bool // OncePerRequest
	Adopter bool // Guard implements driver.Adopter
}

// A LockHarness gives [TestLocker] one lock service. Locker is required.
// Every case gets a harness of its own.
type LockHarness struct {
	// Prefix is put before every name, see GuardHarness.Prefix.
	Prefix string

	// Locker is the lock service under test.
	Locker driver.Locker

	// Unordered says that holds have no Token.
	Unordered bool

	// Expire ends the current lease of name now, as the passing of its TTL would.
	// Optional: without it, cases wait for short leases to end.
	Expire func(ctx context.Context, name string) error

	// ReleaseAround is Release that calls between after the service was first
	// asked and before the lock is given up. Where that is one request, call
	// between before it. Optional.
	ReleaseAround func(ctx context.Context, h driver.Hold, between func()) error

	// Lose sets the sequence of tokens of name back to last, as a failover to a
	// replica that lagged would. Optional; used if Locker is a driver.Issuer.
	Lose func(ctx context.Context, name string, last driver.Token) error
}

// NewGuard makes a harness for one case.
type NewGuard func(tb testing.TB) *GuardHarness

// NewLock makes a harness for one case.
type NewLock func(tb testing.TB) *LockHarness

// A Failure is one case that a store did not pass.
type Failure struct {
	Case string // as in "register/older is refused"
	Log  string // what the case reported
}
