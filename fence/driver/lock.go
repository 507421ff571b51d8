package driver

import (
	"context"
	"time"
)

// A Request asks for a lock.
type Request struct {
	Name  string        // see WellFormedName
	Owner string        // random, new for every acquisition; repeated only to repeat the same acquisition
	TTL   time.Duration // of the lease, at least MinTTL; stores may round up to their own unit
}

// WellFormed reports, as an [*InvalidError], a request that no locker accepts.
func (r Request) WellFormed() error {
	if err := WellFormedName("name", r.Name); err != nil {
		return err
	}
	if err := WellFormedName("owner", r.Owner); err != nil {
		return err
	}
	return WellFormedTTL(r.TTL)
}

// A Hold is one ownership of a lock as the lock service knows it.
type Hold struct {
	Name  string // of the lock, as requested
	Owner string // as requested

	// Issuer names the source of Token: one sequence of numbers that never goes
	// back. It must change when that sequence may have been lost without
	// anybody noticing, and must not be StoreIssuer. Empty if Token is zero.
	Issuer string

	// Token is greater than that of every earlier hold of this Name and Issuer,
	// in the order in which the lock was held. Zero if the service has no number
	// with this property: a random value, a counter that is increased outside of
	// the acquisition, or a number that restarts must not be passed off as one.
	Token Token
}

// Grant returns the hold as the grant that a guard would register, without
// having registered it anywhere. It is the zero Grant if Token is zero.
func (h Hold) Grant() Grant {
	if h.Token == 0 {
		return Grant{}
	}
	return Grant{Resource: h.Name, Issuer: h.Issuer, Owner: h.Owner, Token: h.Token}
}

// String returns the hold for people: owner and token are shortened.
func (h Hold) String() string {
	return Grant{Resource: h.Name, Issuer: h.Issuer, Owner: h.Owner, Token: h.Token}.String()
}

// GoString is [Hold.String], so that %#v does not disclose the hold.
func (h Hold) GoString() string { return "driver.Hold(" + h.String() + ")" }

// A Locker is a lock service. Every method is one attempt: no retry loop, no
// waiting for the lock. That is the client's part. Beside the errors that are
// listed, each may return ErrBusy if nothing changed and the same request may
// succeed soon, as after a lock timeout of a database.
type Locker interface {
	// Acquire takes the lock if it is free or its lease has expired.
	//
	// It is idempotent per owner: while r.Owner holds r.Name, a repeated Acquire
	// gives the same Token and renews the lease to r.TTL. After that lease has
	// expired, a repeated Acquire is a new ownership with a greater Token.
	//
	// Errors: ErrNotAcquired if another owner holds the lock; ErrUncertain;
	// ErrUnavailable; ErrInvalid.
	Acquire(ctx context.Context, r Request) (Hold, error)

	// Extend sets the lease of h to end ttl from now, by the service's clock, if
	// h is still the current hold. It compares owner and token, and changes the
	// lease, in one atomic step; and it never revives an expired lease.
	//
	// Errors: ErrNotOwner if h is not the current hold, also if its lease has
	// expired; ErrUncertain; ErrUnavailable; ErrUnsupported if leases cannot be
	// extended; ErrInvalid. A service that renews leases by itself returns nil
	// while h is the current hold.
	Extend(ctx context.Context, h Hold, ttl time.Duration) error

	// Release frees the lock if h is the current hold. It compares owner and
	// token, and frees, in one atomic step: it never deletes by name alone.
	// The sequence of tokens survives a release.
	//
	// Errors: ErrNotOwner if h is not the current hold, also if it was released
	// before or its lease has expired; ErrUncertain; ErrUnavailable; ErrInvalid.
	Release(ctx context.Context, h Hold) error
}

// A Waiter is a [Locker] that can tell when a lock may have become free.
// Optional.
type Waiter interface {
	// Wait returns nil when name may be free: at once if it is free at the time
	// of the call, otherwise after its release or expiry. It may return early
	// without reason. It may be late, so clients bound it by ctx. It acquires
	// nothing. Errors: ctx.Err(), ErrUnavailable, ErrUnsupported, ErrInvalid;
	// after any error clients fall back to polling.
	Wait(ctx context.Context, name string) error
}

// An Issuer is a [Locker] that can be asked about its sequence of tokens, so
// that a lost or restored sequence is noticed and can be repaired. Optional.
type Issuer interface {
	// Issued returns the greatest token that the service knows to have issued
	// for name, zero if none.
	// Errors: ErrUnavailable, ErrInvalid.
	Issued(ctx context.Context, name string) (Token, error)

	// Raise makes every token that is issued for name from now on greater than
	// to. It never lowers the sequence and is idempotent. A current hold keeps
	// its token.
	// Errors: ErrUncertain, ErrUnavailable, ErrInvalid.
	Raise(ctx context.Context, name string, to Token) error
}
