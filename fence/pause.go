package fence

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// A pause waits between the attempts of one request.
type pause struct {
	client *Client
	name   string
	waiter driver.Waiter // nil: poll
	next   time.Duration
}

func (c *Client) newPause(name string) *pause {
	w, _ := c.locker.(driver.Waiter)
	return &pause{client: c, name: name, waiter: w, next: c.retryMin}
}

// wait returns when the request that failed with err should be repeated, or
// the reason not to: the cause of ctx.
func (p *pause) wait(ctx context.Context, err error) error {
	if p.waiter != nil && errors.Is(err, ErrNotAcquired) && p.notified(ctx) {
		// All waiters wake at once: spread them.
		return p.sleep(ctx, rand.N(p.client.retryMin))
	}
	d := p.next
	p.next = min(2*p.next, p.client.retryMax)
	return p.sleep(ctx, d-rand.N(d/2+1))
}

func (p *pause) sleep(ctx context.Context, d time.Duration) error {
	err := p.client.clock.Sleep(ctx, d)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// notified waits for the locker's notice, but no longer than a lease lasts: a
// notice may be lost. It reports false, for good, if the locker cannot tell.
func (p *pause) notified(ctx context.Context) bool {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := p.client.clock.AfterFunc(p.client.ttl, cancel)
	defer stop()
	if err := p.waiter.Wait(bounded, p.name); err != nil && bounded.Err() == nil {
		p.waiter = nil
		return false
	}
	return true
}
