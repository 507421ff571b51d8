package fence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Lease is one acquired lock. It is renewed in the background until
// [Lease.Release] or until it is lost. It can deliberately not be asked
// whether it is still held: the answer would be out of date before it could
// protect a write. Hand its Grant to the store instead.
type Lease struct {
	client *Client
	hold   driver.Hold
	grants []guardGrant // complete before the lease is handed out
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu         sync.Mutex
	ttl        time.Duration
	deadline   time.Time // the service does not free the lock before it
	phase      phase
	renewing   bool // a renewal is under way
	stopRenew  func() bool
	stopExpire func() bool
}

type guardGrant struct {
	guard driver.Guard
	grant Grant
}

type phase int

const (
	active    phase = iota
	lost            // ended before its release
	releasing       // Release was called, its outcome is not known
	released        // the lock is certainly not ours
)

// newLease starts a lease whose request was sent at sent. Values of parent
// are kept, its cancellation is not.
func newLease(parent context.Context, c *Client, h driver.Hold, sent time.Time) *Lease {
	l := &Lease{client: c, hold: h, ttl: c.ttl}
	l.ctx, l.cancel = context.WithCancelCause(context.WithoutCancel(parent))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prolong(sent.Add(c.ttl))
	l.scheduleRenewal(l.interval())
	return l
}

// Grant returns the ownership to hand to guard's store with every write: the
// claimed or registered grant if the lease was acquired with guard, otherwise
// the lock's own token, which no store knows yet; a strict write refuses it.
//
// Errors: [ErrInvalid] if guard is nil; [ErrUnsupported] if the lease was
// acquired without guard and the lock's tokens have no order.
func (l *Lease) Grant(guard driver.Guard) (Grant, error) {
	if guard == nil {
		return Grant{}, invalid("guard", "is nil")
	}
	for _, gg := range l.grants {
		if gg.guard == guard {
			return gg.grant, nil
		}
	}
	if l.hold.Token == 0 {
		return Grant{}, errUnordered
	}
	return l.hold.Grant(), nil
}

// Context is cancelled with cause [ErrLost] when the lease is lost, as far as
// this client can know, and with context.Canceled when it is released. It
// keeps the values of Acquire's context. Use it to stop useless work.
func (l *Lease) Context() context.Context { return l.ctx }

// Extend makes the lease last d, at least 1ms, from the time the request was
// sent; later renewals use d too. It does not make a late write safe.
//
// Errors: [ErrNotOwner] if the lock has passed on or was released, and then the
// lease is lost; [ErrLost] if that was known before; [ErrUncertain], after
// which the lease is taken to end at its earlier time; [ErrInvalid]; errors of
// the driver.
func (l *Lease) Extend(ctx context.Context, d time.Duration) error {
	if err := driver.WellFormedTTL(d); err != nil {
		return err
	}
	l.mu.Lock()
	p := l.phase
	l.mu.Unlock()
	switch p {
	case lost:
		return fmt.Errorf("extend %s: %w", l.hold.Name, ErrLost)
	case releasing, released:
		return fmt.Errorf("extend %s: %w", l.hold.Name, ErrNotOwner)
	}
	if err := l.extend(ctx, d); err != nil {
		return fmt.Errorf("extend %s: %w", l.hold.Name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase == active && !l.renewing { // else the renewal under way arms the next
		if l.stopRenew != nil {
			l.stopRenew()
		}
		l.scheduleRenewal(l.interval())
	}
	return nil
}

// Release gives the lock back if it is still this lease's, comparing owner and
// token in the lock service; it never frees a lock of somebody else. It works
// also when ctx is done: only ctx's values are used, and the time is bounded by
// [WithReleaseTimeout]. The lease's context ends first.
//
// Errors: [ErrNotOwner] if the lock was not, or no longer, this lease's, also
// for a second call; [ErrUncertain]; errors of the driver. After an error other
// than ErrNotOwner, Release may be called again, or the lease left to expire.
func (l *Lease) Release(ctx context.Context) error {
	l.mu.Lock()
	if l.phase == released {
		l.mu.Unlock()
		return fmt.Errorf("release %s: %w", l.hold.Name, ErrNotOwner)
	}
	l.phase = releasing
	l.stopTimers()
	l.mu.Unlock()
	l.cancel(context.Canceled)

	ctx, cancel := l.client.detached(ctx)
	defer cancel()
	err := l.client.locker.Release(ctx, l.hold)
	if err == nil || errors.Is(err, ErrNotOwner) {
		l.mu.Lock()
		l.phase = released
		l.mu.Unlock()
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotOwner):
		l.client.trace(onReleaseLost, l.event(err))
	case errors.Is(err, ErrUncertain):
		l.client.trace(onUncertain, l.event(err))
	}
	return fmt.Errorf("release %s: %w", l.hold.Name, err)
}

// only returns the one ownership that stands for the whole lease: that of its
// guards if they agree, the lock's own if there is no guard.
func (l *Lease) only() (Grant, bool) {
	if len(l.grants) == 0 {
		return l.hold.Grant(), l.hold.Token != 0
	}
	for _, gg := range l.grants[1:] {
		if gg.grant != l.grants[0].grant {
			return Grant{}, false
		}
	}
	return l.grants[0].grant, true
}

// ownership is the hold in the form in which events show it.
func (l *Lease) ownership() Grant {
	return Grant{Resource: l.hold.Name, Issuer: l.hold.Issuer, Owner: l.hold.Owner, Token: l.hold.Token}
}

func (l *Lease) event(err error) Event {
	return Event{Name: l.hold.Name, Grant: l.ownership(), Err: err}
}

// String returns the lease for people: owner and token are shortened.
func (l *Lease) String() string { return "lease " + l.hold.String() }

// GoString is [Lease.String], so that %#v does not disclose the grant.
func (l *Lease) GoString() string { return l.String() }

// LogValue returns the lease for log/slog, shortened.
func (l *Lease) LogValue() slog.Value { return l.ownership().LogValue() }
