package fence

import (
	"context"
	"errors"
	"fmt"

	"github.com/fencelint/fencelint/fence/driver"
)

// prepare makes the guards know the ownership, one after the other, before
// anything is read.
func (c *Client) prepare(ctx context.Context, l *Lease, a *acquisition, wait bool) error {
	for _, gm := range a.guards {
		g, err := c.prepareOne(ctx, l, gm, wait)
		if err != nil {
			return err
		}
		l.grants = append(l.grants, guardGrant{gm.guard, g})
	}
	return nil
}

func (c *Client) prepareOne(ctx context.Context, l *Lease, gm guardMode, wait bool) (Grant, error) {
	ordered := l.hold.Token != 0
	switch {
	case gm.mode.ordered() && !ordered:
		return Grant{}, errUnordered
	case gm.mode == byWrite:
		return l.hold.Grant(), nil
	}
	pause := c.newPause(l.hold.Name)
	for {
		// Advice only, but it spares the next holder a needless pre-emption by
		// one who knows that it is late.
		if l.overdue() {
			return Grant{}, fmt.Errorf("%w before its guard was prepared", ErrLost)
		}
		var g Grant
		var err error
		if ordered && gm.mode != byClaim {
			g, err = c.register(ctx, l, gm.guard)
		} else {
			g, err = c.claim(ctx, l, gm.guard)
		}
		if err == nil {
			return g, nil
		}
		if errors.Is(err, ErrUncertain) {
			c.trace(onUncertain, Event{Name: l.hold.Name, Grant: l.ownership(), Err: err})
		}
		if !wait || !errors.Is(err, ErrUncertain) && !errors.Is(err, ErrBusy) {
			return Grant{}, err
		}
		if cause := pause.wait(ctx, err); cause != nil {
			return Grant{}, fmt.Errorf("%w: %w", err, cause)
		}
	}
}

var errUnordered = fmt.Errorf("%w: the lock's tokens have no order: use Claiming", ErrUnsupported)

func (c *Client) claim(ctx context.Context, l *Lease, guard driver.Guard) (Grant, error) {
	g, err := guard.Claim(ctx, l.hold.Name, l.hold.Owner)
	if err != nil {
		return Grant{}, err
	}
	if g.Resource != l.hold.Name || g.Owner != l.hold.Owner || g.Issuer != driver.StoreIssuer {
		return Grant{}, invalid("claimed grant", "is not the one asked for")
	}
	if err := g.WellFormed(); err != nil {
		return Grant{}, err
	}
	c.trace(onClaimed, Event{Name: l.hold.Name, Grant: g})
	return g, nil
}

func (c *Client) register(ctx context.Context, l *Lease, guard driver.Guard) (Grant, error) {
	g := l.hold.Grant()
	err := guard.Register(ctx, g)
	switch {
	case err == nil:
		c.trace(onRegistered, Event{Name: g.Resource, Grant: g})
		return g, nil
	case errors.Is(err, ErrStale):
		return Grant{}, c.refused(ctx, guard, g, err)
	case errors.Is(err, ErrIssuer) && c.adopt:
		if err := c.adoptGuard(ctx, guard, g, err); err != nil {
			return Grant{}, err
		}
		return g, nil
	}
	return Grant{}, err
}
