package fence

import (
	"context"
	"errors"
	"time"
)

// prolong sets the time until which the service keeps the lock for us, which
// counts from before the request was sent. l.mu is held.
func (l *Lease) prolong(deadline time.Time) {
	l.deadline = deadline
	if l.stopExpire != nil {
		l.stopExpire()
	}
	l.stopExpire = l.client.clock.AfterFunc(deadline.Sub(l.client.clock.Now()), l.expire)
}

// interval is the time between renewals, or negative for none. l.mu is held.
func (l *Lease) interval() time.Duration {
	if every := l.client.every; every < 0 || 0 < every && every < l.ttl {
		return every
	}
	return l.ttl / 3
}

// scheduleRenewal arms the next renewal unless there is to be none. l.mu is
// held.
func (l *Lease) scheduleRenewal(after time.Duration) {
	if after >= 0 {
		l.stopRenew = l.client.clock.AfterFunc(after, l.renew)
	}
}

// stopTimers ends renewal and the watch for the end. l.mu is held.
func (l *Lease) stopTimers() {
	l.stopExpire()
	if l.stopRenew != nil {
		l.stopRenew()
	}
}

// expire runs at the deadline. A renewal that hangs does not delay it.
func (l *Lease) expire() {
	if l.overdue() {
		l.lose(errors.New("not renewed in time"))
	}
}

// overdue reports whether the lease has ended as far as this client knows: a
// reason to stop, never a licence to go on.
func (l *Lease) overdue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase != active || !l.client.clock.Now().Before(l.deadline)
}

// lose makes the loss known, once.
func (l *Lease) lose(reason error) {
	l.mu.Lock()
	if l.phase != active {
		l.mu.Unlock()
		return
	}
	l.phase = lost
	l.stopTimers()
	l.mu.Unlock()
	l.cancel(ErrLost)
	l.client.trace(onLost, l.event(reason))
}

// renew is one background renewal; it arms the next.
func (l *Lease) renew() {
	l.mu.Lock()
	live, ttl := l.phase == active && !l.renewing, l.ttl
	l.renewing = live
	l.mu.Unlock()
	if !live {
		return
	}
	err := l.extend(l.ctx, ttl)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewing = false
	if errors.Is(err, ErrUnsupported) {
		return // the lease is left to end at its deadline
	}
	if l.phase == active {
		next := l.interval()
		if err != nil { // the service may come back before the deadline
			left := l.deadline.Sub(l.client.clock.Now())
			next = max(min(next, left/2), time.Millisecond)
		}
		l.scheduleRenewal(next)
	}
}

// extend sends one extension and keeps its outcome.
func (l *Lease) extend(ctx context.Context, d time.Duration) error {
	sent := l.client.clock.Now()
	err := l.client.locker.Extend(ctx, l.hold, d)
	switch {
	case err == nil:
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.phase == active {
			l.ttl = d
			l.prolong(sent.Add(d))
		}
	case errors.Is(err, ErrNotOwner):
		l.lose(err)
	case errors.Is(err, ErrUncertain) && ctx.Err() == nil:
		l.client.trace(onUncertain, l.event(err))
	}
	return err
}
