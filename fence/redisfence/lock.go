package redisfence

import (
	"context"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Locker keeps leases in Redis. Its tokens have the order of the lock, so its
// holds can be registered. It implements [driver.Locker], [driver.Waiter] and
// [driver.Issuer]. Beside the errors named there, ErrUnavailable may be one of
// this package's own. A Locker is safe for concurrent use; it has nothing to
// close, and the client stays the caller's.
type Locker struct {
	server *server
	opts   options
	issuer string // "": the server's replication id
	bells  bells
}

var (
	_ driver.Locker = (*Locker)(nil)
	_ driver.Waiter = (*Locker)(nil)
	_ driver.Issuer = (*Locker)(nil)
)

// NewLocker makes a locker on a client of one server, of Sentinel or of a
// cluster, and asks the servers whether they keep all keys. Errors:
// an *driver.InvalidError for a nil client or a bad option; ErrEviction;
// driver.ErrUnavailable; driver.ErrUnsupported for a Ring.
func NewLocker(ctx context.Context, client redis.UniversalClient, opts ...Option) (*Locker, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	if o.retention != nil {
		return nil, invalid("retention", "is for a guard")
	}
	s, err := newServer(ctx, client, o)
	if err != nil {
		return nil, err
	}
	if o.tag == nil {
		o.tag = func(string) string { return "locks" }
		if s.cluster != nil {
			o.tag = func(name string) string { return name }
		}
	}
	l := &Locker{server: s, opts: o}
	if o.issuer != nil {
		l.issuer = *o.issuer
	}
	return l, nil
}

func (l *Locker) lock(name string) (string, error)    { return l.opts.key("lock", name, name) }
func (l *Locker) counter(name string) (string, error) { return l.opts.key("token", name, "") }

// Acquire implements [driver.Locker]. The TTL is rounded up to milliseconds.
func (l *Locker) Acquire(ctx context.Context, r driver.Request) (driver.Hold, error) {
	if err := r.WellFormed(); err != nil {
		return driver.Hold{}, err
	}
	lock, err := l.lock(r.Name)
	if err != nil {
		return driver.Hold{}, err
	}
	counter, err := l.counter(r.Name)
	if err != nil {
		return driver.Hold{}, err
	}
	got, err := l.server.run(ctx, acquireScript, []string{lock, counter}, secret(r.Owner), milliseconds(r.TTL), l.issuer)
	switch {
	case err != nil:
		return driver.Hold{}, err
	case got.word() == "held":
		return driver.Hold{}, driver.ErrNotAcquired
	}
	if err := got.outcome(); err != nil {
		return driver.Hold{}, err
	}
	return held(r.Name, got.text(1))
}

// held reads owner/token/issuer.
func held(name, text string) (driver.Hold, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		return driver.Hold{}, errReply
	}
	token, err := driver.ParseToken(parts[1])
	if err != nil {
		return driver.Hold{}, errReply
	}
	return driver.Hold{Name: name, Owner: parts[0], Issuer: parts[2], Token: token}, nil
}

// Extend implements [driver.Locker]. The TTL is rounded up to milliseconds.
func (l *Locker) Extend(ctx context.Context, h driver.Hold, ttl time.Duration) error {
	if err := driver.WellFormedTTL(ttl); err != nil {
		return err
	}
	return l.change(ctx, extendScript, h, milliseconds(ttl))
}

// Release implements [driver.Locker]. It wakes those who wait.
func (l *Locker) Release(ctx context.Context, h driver.Hold) error {
	publish := "PUBLISH"
	if l.server.cluster != nil {
		publish = "SPUBLISH" // to this shard alone
	}
	return l.change(ctx, releaseScript, h, publish)
}

func (l *Locker) change(ctx context.Context, p script, h driver.Hold, more any) error {
	if err := h.Grant().WellFormed(); err != nil {
		return err
	}
	lock, err := l.lock(h.Name)
	if err != nil {
		return err
	}
	got, err := l.server.run(ctx, p, []string{lock}, secret(h.Owner+"/"+h.Token.String()+"/"+h.Issuer), more)
	switch {
	case err != nil:
		return err
	case got.word() == "other":
		return driver.ErrNotOwner
	}
	return got.outcome()
}

// Issued implements [driver.Issuer]. Where locks share a counter, see
// [WithTag], it is the greatest token of all of them.
func (l *Locker) Issued(ctx context.Context, name string) (driver.Token, error) {
	if err := driver.WellFormedName("name", name); err != nil {
		return 0, err
	}
	counter, err := l.counter(name)
	if err != nil {
		return 0, err
	}
	got, err := l.server.ask(ctx, issuedScript, []string{counter})
	switch {
	case err != nil:
		return 0, err
	case got.text(1) == "0":
		return 0, nil
	}
	token, err := driver.ParseToken(got.text(1))
	if err != nil {
		return 0, ErrDamaged
	}
	return token, nil
}

// Raise implements [driver.Issuer].
func (l *Locker) Raise(ctx context.Context, name string, to driver.Token) error {
	if err := driver.WellFormedName("name", name); err != nil {
		return err
	}
	if err := to.WellFormed(); err != nil {
		return err
	}
	counter, err := l.counter(name)
	if err != nil {
		return err
	}
	got, err := l.server.run(ctx, raiseScript, []string{counter}, secret(to.String()))
	if err != nil {
		return err
	}
	return got.outcome()
}
