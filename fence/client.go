package fence

import (
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Client acquires locks of one lock service. Create it with [New].
type Client struct {
	locker driver.Locker
	err    error // of New; reported by every acquisition

	ttl            time.Duration
	every          time.Duration // between renewals; 0: a third of the TTL; negative: none
	retryMin       time.Duration
	retryMax       time.Duration
	releaseTimeout time.Duration
	heal, adopt    bool
	traces         []*Trace
	clock          Clock
}

// New returns a client for locker. It sends nothing. [WithTTL] is required. A
// nil locker or a wrong option is reported by Acquire, TryAcquire and Do as an
// [*InvalidError].
func New(locker driver.Locker, opts ...Option) *Client {
	c := &Client{
		locker:         locker,
		retryMin:       10 * time.Millisecond,
		retryMax:       500 * time.Millisecond,
		releaseTimeout: 5 * time.Second,
		clock:          systemClock{},
	}
	for _, o := range opts {
		if o != nil {
			o(c)
		}
	}
	c.err = c.check()
	return c
}

func (c *Client) check() error {
	switch {
	case c.locker == nil:
		return invalid("locker", "is nil")
	case c.ttl == 0:
		return invalid("ttl", "is not set: use WithTTL")
	case c.every > 0 && c.every >= c.ttl:
		return invalid("keep-alive interval", "is not shorter than the ttl")
	case c.retryMin <= 0 || c.retryMax < c.retryMin:
		return invalid("retry", "is not 0 < min <= max")
	case c.releaseTimeout <= 0:
		return invalid("release timeout", "is not positive")
	case c.clock == nil:
		return invalid("clock", "is nil")
	}
	return driver.WellFormedTTL(c.ttl)
}

// An Option configures a [Client].
type Option func(*Client)

// WithTTL sets how long a lease lasts without renewal, at least 1ms. Required.
// It is an operator's value: after a crash, others wait that long; below the
// usual latency of the lock service, leases are lost without need. It is no
// safety margin.
func WithTTL(d time.Duration) Option { return func(c *Client) { c.ttl = d } }

// WithRetry sets the pause between attempts of Acquire and Do: it doubles from
// min to max, each time shortened at random by up to a half. The default is
// 10ms to 500ms. A locker that can tell when the lock becomes free is polled
// less.
func WithRetry(min, max time.Duration) Option {
	return func(c *Client) { c.retryMin, c.retryMax = min, max }
}

// WithKeepAlive sets the interval between renewals of a lease, shorter than the
// TTL. The default is a third of the lease's duration.
func WithKeepAlive(every time.Duration) Option {
	return func(c *Client) { c.every = every }
}

// WithoutKeepAlive leaves renewal to [Lease.Extend]. Loss at the end of the
// lease is still signalled.
func WithoutKeepAlive() Option { return func(c *Client) { c.every = -1 } }

// WithReleaseTimeout bounds a release, whose context is detached from the
// caller's cancellation. The default is 5s.
func WithReleaseTimeout(d time.Duration) Option {
	return func(c *Client) { c.releaseTimeout = d }
}

// WithTrace calls t's hooks. Given several times, all are called in order. A
// nil Trace is ignored.
func WithTrace(t *Trace) Option {
	return func(c *Client) {
		if t != nil {
			c.traces = append(c.traces, t)
		}
	}
}

// WithClock replaces the system clock: for tests.
func WithClock(clock Clock) Option { return func(c *Client) { c.clock = clock } }

// HealForward repairs a lock service that went backwards instead of failing
// with [ErrRegressed]: its sequence is raised to the token the guard has seen,
// and the lock is acquired again. Without it an operator decides, because a
// lost sequence may mean that more than the sequence was lost. The locker must
// implement [driver.Issuer].
func HealForward() Option { return func(c *Client) { c.heal = true } }

// WithAdopt takes guards over from another issuer instead of failing with
// [ErrIssuer], as after a failover that changed the lock service's identity:
// the own sequence is raised above the token the guard has seen, and the
// guard's record is swapped in one compare-and-set. If holders of both issuers
// are alive they take the guard from each other: they alternate, no update is
// lost. A guard that is used with claims is never adopted. The locker must
// implement [driver.Issuer] and the guard [driver.Adopter].
func WithAdopt() Option { return func(c *Client) { c.adopt = true } }
