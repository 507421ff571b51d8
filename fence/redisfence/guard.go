package redisfence

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Guard is the record of the one ownership, per resource, whose writes a
// Redis takes. It implements [driver.Guard] and [driver.Adopter]. Beside the
// errors named there, ErrUnavailable may be one of this package's own. A Guard
// is safe for concurrent use; it has nothing to close, and the client stays the
// caller's.
type Guard struct {
	server    *server
	opts      options
	retention int64 // of requests, in milliseconds; 0: for ever
}

var (
	_ driver.Guard   = (*Guard)(nil)
	_ driver.Adopter = (*Guard)(nil)
)

// NewGuard makes a guard on the client through which the guarded data is
// written, and asks the servers whether they keep all keys. Errors are those of
// [NewLocker].
func NewGuard(ctx context.Context, client redis.UniversalClient, opts ...Option) (*Guard, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	if o.issuer != nil {
		return nil, invalid("issuer", "is for a locker")
	}
	s, err := newServer(ctx, client, o)
	if err != nil {
		return nil, err
	}
	if o.tag == nil {
		o.tag = func(resource string) string { return resource }
	}
	retention := week
	if o.retention != nil {
		retention = *o.retention
	}
	return &Guard{server: s, opts: o, retention: milliseconds(retention)}, nil
}

func (g *Guard) key(resource string) (string, error) { return g.opts.key("guard", resource, resource) }

// Register implements [driver.Guard].
func (g *Guard) Register(ctx context.Context, grant driver.Grant) error {
	if err := registrable(grant); err != nil {
		return err
	}
	key, err := g.key(grant.Resource)
	if err != nil {
		return err
	}
	got, err := g.server.run(ctx, registerScript, []string{key}, record(grant))
	if err != nil {
		return err
	}
	return got.admission(grant)
}

// registrable refuses what no record may hold.
func registrable(grant driver.Grant) error {
	if err := grant.WellFormed(); err != nil {
		return err
	}
	if grant.Issuer == driver.StoreIssuer {
		return fmt.Errorf("%w: a claimed grant is not registered", driver.ErrIssuer)
	}
	return nil
}

// record is a grant as scripts take it and guards keep it.
func record(g driver.Grant) secret {
	return secret(g.Token.String() + "/" + g.Owner + "/" + g.Issuer)
}

// admission is the outcome of a script that may refuse grant.
func (r reply) admission(grant driver.Grant) error {
	if r.word() != "refused" {
		return r.outcome()
	}
	seen, err := r.record(grant.Resource, 1)
	if err != nil {
		return err
	}
	return driver.Refused(grant, seen)
}

// Claim implements [driver.Guard].
func (g *Guard) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	grant := driver.Grant{Resource: resource, Issuer: driver.StoreIssuer, Owner: owner, Token: 1}
	if err := grant.WellFormed(); err != nil {
		return driver.Grant{}, err
	}
	key, err := g.key(resource)
	if err != nil {
		return driver.Grant{}, err
	}
	got, err := g.server.run(ctx, claimScript, []string{key}, secret(owner))
	if err != nil {
		return driver.Grant{}, err
	}
	if got.word() != "refused" {
		if err := got.outcome(); err != nil {
			return driver.Grant{}, err
		}
	}
	seen, err := got.record(resource, 1)
	switch {
	case err != nil:
		return driver.Grant{}, err
	case got.word() == "refused":
		return driver.Grant{}, fmt.Errorf("%w: guard has %v", driver.ErrIssuer, seen)
	}
	return seen, nil
}

// Seen implements [driver.Guard].
func (g *Guard) Seen(ctx context.Context, resource string) (driver.Grant, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return driver.Grant{}, err
	}
	key, err := g.key(resource)
	if err != nil {
		return driver.Grant{}, err
	}
	got, err := g.server.ask(ctx, seenScript, []string{key})
	if err != nil {
		return driver.Grant{}, err
	}
	return got.record(resource, 1)
}

// Adopt implements [driver.Adopter].
func (g *Guard) Adopt(ctx context.Context, seen, next driver.Grant) error {
	if err := driver.WellFormedAdoption(seen, next); err != nil {
		return err
	}
	key, err := g.key(seen.Resource)
	if err != nil {
		return err
	}
	got, err := g.server.run(ctx, adoptScript, []string{key}, record(seen), record(next))
	if err != nil {
		return err
	}
	if got.word() != "refused" {
		return got.outcome()
	}
	now, err := got.record(seen.Resource, 1)
	if err != nil {
		return err
	}
	return &driver.StaleError{Have: next, Seen: now}
}
