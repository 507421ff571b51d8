package etcdfence

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Guard is the record of the one ownership, per resource, whose writes this
// etcd takes. It implements [driver.Guard] and [driver.Adopter]. Beside the
// errors named there, ErrUnavailable may be [ErrRecord]. A Guard is safe for
// concurrent use.
type Guard struct {
	client *clientv3.Client
	prefix string
}

var (
	_ driver.Guard   = (*Guard)(nil)
	_ driver.Adopter = (*Guard)(nil)
)

// NewGuard makes a guard. It sends nothing. Errors: an *driver.InvalidError for
// a nil client or an empty prefix.
func NewGuard(client *clientv3.Client, opts ...Option) (*Guard, error) {
	o, err := newOptions(client, opts)
	if err != nil {
		return nil, err
	}
	return &Guard{client: client, prefix: o.prefix}, nil
}

func (g *Guard) record(resource string) record {
	return record{key: g.prefix + "guard/" + resource, resource: resource}
}

// Register implements [driver.Guard].
func (g *Guard) Register(ctx context.Context, grant driver.Grant) error {
	if err := registrable(ctx, grant); err != nil {
		return err
	}
	r := g.record(grant.Resource)
	resp, err := g.client.Txn(ctx).
		If(r.absent()...).
		Then(r.put(grant)).
		Else(clientv3.OpTxn(r.below(grant), []clientv3.Op{r.put(grant)}, []clientv3.Op{r.get()})).
		Commit()
	if err != nil {
		return sent(ctx, err)
	}
	if resp.Succeeded {
		return nil
	}
	if resp = nested(resp, 0); resp.Succeeded {
		return nil
	}
	seen, err := r.parse(readAt(resp, 0))
	switch {
	case err != nil:
		return err
	case seen == grant:
		return nil
	}
	return driver.Refused(grant, seen)
}

// registrable refuses what no record may hold.
func registrable(ctx context.Context, grant driver.Grant) error {
	if err := grant.WellFormed(); err != nil {
		return err
	}
	if grant.Issuer == driver.StoreIssuer {
		return fmt.Errorf("%w: a claimed grant is not registered", driver.ErrIssuer)
	}
	if err := ctx.Err(); err != nil {
		return wrap(ctx, nil, err)
	}
	return nil
}

// Claim implements [driver.Guard].
func (g *Guard) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	grant := driver.Grant{Resource: resource, Issuer: driver.StoreIssuer, Owner: owner, Token: 1}
	if err := grant.WellFormed(); err != nil {
		return driver.Grant{}, err
	}
	if err := ctx.Err(); err != nil {
		return driver.Grant{}, wrap(ctx, nil, err)
	}
	r := g.record(resource)
	take := []clientv3.Op{r.put(grant), r.get()}
	resp, err := g.client.Txn(ctx).
		If(r.absent()...).
		Then(take...).
		Else(clientv3.OpTxn(r.claimedByOther(owner), take, []clientv3.Op{r.get()})).
		Commit()
	if err != nil {
		return driver.Grant{}, sent(ctx, err)
	}
	if !resp.Succeeded {
		resp = nested(resp, 0)
	}
	seen, err := r.parse(readAt(resp, len(resp.Responses)-1))
	switch {
	case err != nil:
		return driver.Grant{}, err
	case seen.Issuer != grant.Issuer:
		return driver.Grant{}, driver.Refused(grant, seen)
	}
	return seen, nil
}

// Seen implements [driver.Guard].
func (g *Guard) Seen(ctx context.Context, resource string) (driver.Grant, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return driver.Grant{}, err
	}
	if err := ctx.Err(); err != nil {
		return driver.Grant{}, wrap(ctx, nil, err)
	}
	r := g.record(resource)
	resp, err := g.client.Get(ctx, r.key)
	if err != nil {
		return driver.Grant{}, unsent(ctx, err)
	}
	return r.parse(read(resp))
}

// Adopt implements [driver.Adopter].
func (g *Guard) Adopt(ctx context.Context, seen, next driver.Grant) error {
	if err := driver.WellFormedAdoption(seen, next); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil { // before a change, so nothing is uncertain
		return wrap(ctx, nil, err)
	}
	r := g.record(seen.Resource)
	resp, err := g.client.Txn(ctx).If(r.shows(seen)...).Then(r.put(next)).Else(r.get()).Commit()
	if err != nil {
		return sent(ctx, err)
	}
	if resp.Succeeded {
		return nil
	}
	now, err := r.parse(readAt(resp, 0))
	switch {
	case err != nil:
		return err
	case now == next:
		return nil
	}
	return &driver.StaleError{Have: next, Seen: now}
}
