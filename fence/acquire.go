package fence

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// maxRounds bounds how often one Acquire takes the lock anew because the issuer
// had to be raised. One repair suffices unless the service keeps going back.
const maxRounds = 4

// Acquire takes the lock name, waiting for it as long as ctx lasts, and
// prepares the guards that the options name. ctx bounds the waiting only: the
// lease lives until its release, also when ctx is done. The lease is counted
// from before the successful request was sent.
//
// Errors: [ErrNotAcquired] and the cause of ctx if ctx ended while another held
// the lock; [ErrLost] if the lease ended before the guards were prepared;
// [ErrStale], [ErrIssuer], [ErrRegressed] or [ErrUnsupported] from a guard, and
// then the lock has been released again; [ErrUncertain] if ctx ended before the
// fate of a request was known: a lock that was taken nevertheless is free again
// after its TTL; [ErrInvalid]; errors of the driver.
func (c *Client) Acquire(ctx context.Context, name string, opts ...AcquireOption) (*Lease, error) {
	return c.acquire(ctx, name, true, opts)
}

// TryAcquire is [Client.Acquire] without waiting: it sends each request once
// and gives up with [ErrNotAcquired] if the lock is held, [ErrBusy] if the lock
// service or a guard is busy and [ErrUncertain] if a reply is lost.
func (c *Client) TryAcquire(ctx context.Context, name string, opts ...AcquireOption) (*Lease, error) {
	return c.acquire(ctx, name, false, opts)
}

func (c *Client) acquire(ctx context.Context, name string, wait bool, opts []AcquireOption) (*Lease, error) {
	if c == nil || c.clock == nil && c.err == nil {
		return nil, invalid("client", "was not made by New")
	}
	if c.err != nil {
		return nil, c.err
	}
	if err := driver.WellFormedName("name", name); err != nil {
		return nil, err
	}
	a, err := newAcquisition(opts)
	if err != nil {
		return nil, err
	}
	begin := c.clock.Now()
	for round := 1; ; round++ {
		hold, sent, err := c.obtain(ctx, name, wait)
		if err != nil {
			return nil, fmt.Errorf("acquire %s: %w", name, err)
		}
		l := newLease(ctx, c, hold, sent)
		c.trace(onAcquired, Event{Name: name, Grant: l.ownership(), Wait: c.clock.Now().Sub(begin)})
		err = c.prepare(ctx, l, a, wait)
		if err == nil {
			return l, nil
		}
		_ = l.Release(ctx) // traced; the lease also ends by itself
		var repaired *repairedError
		if errors.As(err, &repaired) && round < maxRounds {
			continue
		}
		return nil, fmt.Errorf("acquire %s: %w", name, err)
	}
}

// obtain gets the lock from the service and returns the time before the
// successful request was sent. A request whose reply was lost is repeated with
// the same owner.
func (c *Client) obtain(ctx context.Context, name string, wait bool) (driver.Hold, time.Time, error) {
	r := driver.Request{Name: name, Owner: rand.Text(), TTL: c.ttl}
	pause := c.newPause(name)
	for {
		if ctx.Err() != nil {
			return driver.Hold{}, time.Time{}, context.Cause(ctx)
		}
		sent := c.clock.Now()
		h, err := c.locker.Acquire(ctx, r)
		if err == nil {
			return h, sent, c.vet(ctx, r, h)
		}
		if errors.Is(err, ErrUncertain) {
			c.trace(onUncertain, Event{Name: name, Grant: Grant{Resource: name, Owner: r.Owner}, Err: err})
		}
		if !wait || !errors.Is(err, ErrNotAcquired) && !errors.Is(err, ErrUncertain) && !errors.Is(err, ErrBusy) {
			return driver.Hold{}, time.Time{}, err
		}
		if cause := pause.wait(ctx, err); cause != nil {
			return driver.Hold{}, time.Time{}, fmt.Errorf("%w: %w", err, cause)
		}
	}
}

// vet refuses a hold that breaks the driver's contract in a way that would
// break a guard, and gives the lock back.
func (c *Client) vet(ctx context.Context, r driver.Request, h driver.Hold) error {
	var err error
	switch {
	case h.Name != r.Name || h.Owner != r.Owner:
		err = invalid("hold", "is not the one requested")
	case h.Token == 0:
		return nil
	case h.Issuer == driver.StoreIssuer:
		err = invalid("hold", "has the issuer of claims")
	default:
		err = h.Grant().WellFormed()
	}
	if err != nil {
		ctx, cancel := c.detached(ctx)
		defer cancel()
		_ = c.locker.Release(ctx, h)
	}
	return err
}

// detached is for requests that must be sent although the caller has gone.
func (c *Client) detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), c.releaseTimeout)
}
