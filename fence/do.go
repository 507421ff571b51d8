package fence

import (
	"context"
	"errors"
	"fmt"

	"github.com/fencelint/fencelint/fence/driver"
)

// Do acquires the lock name as [Client.Acquire] does, calls fn, and releases
// the lock, also if fn panics. fn's context is derived from ctx, carries the
// grant if there is exactly one (see [FromContext]), and is cancelled with cause
// [ErrLost] if the lease is lost. That is advice: fn must hand its grant to
// every guarded write.
//
// Do returns the error of the acquisition, or that of fn, to which ErrLost is
// added if fn ended with the cancelled context's error. An error of the release
// is not returned, for it does not undo fn's work: the lease then ends by itself.
// ErrNotOwner and [ErrUncertain] are traced.
func (c *Client) Do(ctx context.Context, name string, fn func(context.Context, *Lease) error, opts ...AcquireOption) error {
	if fn == nil {
		return invalid("function", "is nil")
	}
	l, err := c.Acquire(ctx, name, opts...)
	if err != nil {
		return err
	}
	defer func() { _ = l.Release(ctx) }()

	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })
	defer stop()
	if g, ok := l.only(); ok {
		work = NewContext(work, g)
	}
	err = fn(work, l)
	c.observe(l, err)
	if errors.Is(err, context.Canceled) && context.Cause(work) == ErrLost && !errors.Is(err, ErrLost) {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return err
}

// observe traces what the error of a finished piece of work says about its
// writes.
func (c *Client) observe(l *Lease, err error) {
	e := l.event(err)
	var stale *StaleError
	if errors.As(err, &stale) {
		e.Grant = stale.Have
	}
	if errors.Is(err, ErrUncertain) {
		c.trace(onUncertain, e)
	}
	if !errors.Is(err, ErrStale) {
		return
	}
	c.trace(onStaleRejected, e)
	if stale != nil && stale.Have.Issuer == driver.StoreIssuer && !l.overdue() {
		c.trace(onPreempted, e)
	}
}
