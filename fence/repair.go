package fence

import (
	"context"
	"errors"
	"fmt"

	"github.com/fencelint/fencelint/fence/driver"
)

// A repairedError says that the issuer has been raised, so that the lock must
// be taken again to get a greater token. It wraps what was repaired.
type repairedError struct{ error }

func (e *repairedError) Unwrap() error { return e.error }

// refused tells a late ownership from a lock service that went backwards,
// after guard has refused the fresh grant g as stale.
func (c *Client) refused(ctx context.Context, guard driver.Guard, g Grant, stale error) error {
	// First the guard, then the issuer: in this order a token that the guard has
	// seen was issued before the issuer is asked, however fast others are.
	seen, err := guard.Seen(ctx, g.Resource)
	if err != nil {
		var s *StaleError
		if errors.As(stale, &s) {
			seen = s.Seen
		}
	}
	back := &RegressedError{Have: g, Seen: seen}
	issuer, asked := c.locker.(driver.Issuer)
	if asked {
		if back.Issued, err = issuer.Issued(ctx, g.Resource); err != nil {
			asked = false
		}
	}
	sameSequence := seen.Issuer == g.Issuer
	reissued := seen.Token == g.Token && seen.Owner != g.Owner
	behind := asked && back.Issued < seen.Token
	if !sameSequence || !reissued && !behind {
		c.trace(onStaleRejected, Event{Name: g.Resource, Grant: g, Err: stale})
		return stale
	}
	c.trace(onRegressed, Event{Name: g.Resource, Grant: g, Err: back})
	if !c.heal {
		return back
	}
	return c.raise(ctx, g.Resource, seen.Token, back)
}

// raise lifts the issuer's sequence to the token of a guard, because of cause.
func (c *Client) raise(ctx context.Context, name string, to Token, cause error) error {
	issuer, ok := c.locker.(driver.Issuer)
	if !ok {
		return fmt.Errorf("%w: %w: the locker cannot raise its tokens", cause, ErrUnsupported)
	}
	if err := issuer.Raise(ctx, name, to); err != nil {
		return fmt.Errorf("%w: raise the issuer: %w", cause, err)
	}
	return &repairedError{cause}
}

// maxAdoptions bounds the compare-and-set loop against others that adopt at the
// same time.
const maxAdoptions = 8

// adoptGuard swaps the guard's record, made by another issuer, for g.
func (c *Client) adoptGuard(ctx context.Context, guard driver.Guard, g Grant, cause error) error {
	adopter, ok := guard.(driver.Adopter)
	if !ok {
		return fmt.Errorf("%w: %w: the guard cannot be adopted", cause, ErrUnsupported)
	}
	for range maxAdoptions {
		seen, err := guard.Seen(ctx, g.Resource)
		switch {
		case err != nil:
			return fmt.Errorf("%w: %w", cause, err)
		case seen.Issuer == driver.StoreIssuer:
			return cause // claims and registrations must not mix
		case seen == Grant{} || seen.Issuer == g.Issuer:
			return &repairedError{cause} // somebody else repaired it: begin anew
		case seen.Token >= g.Token:
			return c.raise(ctx, g.Resource, seen.Token, cause)
		}
		err = adopter.Adopt(ctx, seen, g)
		if err == nil {
			c.trace(onAdopted, Event{Name: g.Resource, Grant: g})
			return nil
		}
		if !errors.Is(err, ErrStale) {
			return err
		}
	}
	return cause
}
