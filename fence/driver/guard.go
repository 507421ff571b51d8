package driver

import "context"

// A Guard is the record in a store of the one ownership, per resource, whose
// writes the store takes. It lives in the store that is written, so that check
// and change can be one atomic step: the same transaction, script or
// conditional request.
//
// The record of a resource is one Grant. It is never deleted and never
// expires. A guard is used either with Register or with Claim, never with both
// for one resource: the issuers differ, and the second gets ErrIssuer.
//
// Guards are compared with ==, so implement Guard on a pointer type.
type Guard interface {
	// Register puts g, whose token was issued by the lock service, on the guard.
	// Prefer it wherever the tokens have the order of the lock: an older
	// ownership is refused even if it arrives late.
	//
	// In one atomic step: if the resource has no record, create it with g.
	// If the record's issuer differs from g.Issuer, change nothing: ErrIssuer.
	// If the record's token is lower than g.Token, replace the record by g.
	// If the tokens are equal and the owners too, change nothing and succeed:
	// Register is idempotent per owner. Otherwise (a higher token, or the same
	// token of another owner) change nothing: *StaleError, which Is ErrStale.
	//
	// g.Issuer == StoreIssuer is ErrIssuer. Other errors: ErrBusy if somebody's
	// open transaction holds the record; ErrUncertain; ErrUnavailable;
	// ErrInvalid if g is not WellFormed.
	Register(ctx context.Context, g Grant) error

	// Claim makes owner the current ownership of resource, with a token issued
	// by the store: Issuer is StoreIssuer, Token is one more than the record's,
	// or 1 if there is none. It works with any lock, but the order is that of
	// the claims: who stalls between acquire and claim claims above its
	// successor. Work stays serial and nothing is lost, yet the older wins.
	//
	// It is one atomic step, and idempotent per owner: if the record is owner's
	// already, nothing changes and the same Grant is returned.
	//
	// Errors: ErrIssuer if the record has another issuer; ErrBusy; ErrUncertain;
	// ErrUnavailable; ErrInvalid for bad names or a token that would pass
	// MaxToken.
	Claim(ctx context.Context, resource, owner string) (Grant, error)

	// Seen returns the record of resource, or the zero Grant if there is none.
	// It is for diagnosis and for the classification of a refused Register; it is
	// out of date on arrival, and comparing with it protects nothing.
	// Errors: ErrUnavailable, ErrInvalid.
	Seen(ctx context.Context, resource string) (Grant, error)
}

// An Adopter is a [Guard] whose record can be handed from one issuer to
// another, after the lock service was replaced or restored. Optional.
type Adopter interface {
	// Adopt replaces the record of seen.Resource by next if, and only if, it
	// still equals seen in all fields, in one atomic step. It succeeds without
	// change if the record equals next already.
	//
	// next must have the resource of seen, an issuer other than seen's and other
	// than StoreIssuer, and a token greater than seen's, else ErrInvalid: see
	// WellFormedAdoption.
	// Other errors: *StaleError, whose Have is next, if the record is neither, also
	// if there is none; ErrBusy; ErrUncertain; ErrUnavailable.
	Adopt(ctx context.Context, seen, next Grant) error
}
