package etcdfence

import (
	"context"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Tenure is one ownership of a lock that the program has taken with package
// concurrency of etcd's client and goes on to use in its own way. It is safe
// for concurrent use.
type Tenure struct {
	client *clientv3.Client
	gate   lockGate
}

// OfMutex gives the tenure of a Mutex that is locked, in one request. resource
// names what is written under it, see driver.WellFormedName; it need not have
// to do with the mutex's own prefix.
//
// Call it before the first read of the work. Errors: driver.ErrNotOwner if m is
// not locked, waits still, or was lost; driver.ErrUnavailable;
// driver.ErrInvalid.
func OfMutex(ctx context.Context, client *clientv3.Client, m *concurrency.Mutex, resource string) (*Tenure, error) {
	if m == nil {
		return nil, &driver.InvalidError{What: "mutex", Reason: "is nil"}
	}
	return tenure(ctx, client, resource, m.Key(), m.IsOwner())
}

// OfElection is [OfMutex] for an Election that was won.
func OfElection(ctx context.Context, client *clientv3.Client, e *concurrency.Election, resource string) (*Tenure, error) {
	if e == nil {
		return nil, &driver.InvalidError{What: "election", Reason: "is nil"}
	}
	return tenure(ctx, client, resource, e.Key(), clientv3.Compare(clientv3.CreateRevision(e.Key()), "=", e.Rev()))
}

func tenure(ctx context.Context, client *clientv3.Client, resource, key string, owned clientv3.Cmp) (*Tenure, error) {
	if client == nil {
		return nil, &driver.InvalidError{What: "client", Reason: "is nil"}
	}
	if err := driver.WellFormedName("resource", resource); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, wrap(ctx, nil, err)
	}
	slash := strings.LastIndexByte(key, '/')
	if slash < 0 { // what a Mutex and an Election have that hold nothing
		return nil, driver.ErrNotOwner
	}
	queue := key[:slash+1]
	resp, err := client.Txn(ctx).If(owned).Then(clientv3.OpGet(queue, clientv3.WithFirstCreate()...)).Commit()
	if err != nil {
		return nil, unsent(ctx, err)
	}
	if !resp.Succeeded {
		return nil, driver.ErrNotOwner
	}
	first := readAt(resp, 0)
	if first == nil || first.key != key {
		return nil, fmt.Errorf("%w: it waits for another", driver.ErrNotOwner)
	}
	g := driver.Grant{
		Resource: resource,
		Issuer:   issuer(resp),
		// The session may have held the lock before: its lease alone is no owner.
		Owner: fmt.Sprintf("%s-%d", key[slash+1:], first.create),
		Token: driver.Token(first.create),
	}
	if err := g.WellFormed(); err != nil {
		return nil, err
	}
	return &Tenure{client: client, gate: lockGate{grant: g, queue: queue, key: key, foreign: true}}, nil
}

// Grant is the ownership, for guards elsewhere: register it there before the
// work reads. Its token is the create revision of the lock's key. The same
// tenure has the same grant each time.
func (t *Tenure) Grant() driver.Grant { return t.gate.grant }

// Txn begins a transaction that is done only while the tenure lasts: the key of
// the lock is compared in the same atomic step. See [Locker.Txn].
func (t *Tenure) Txn(ctx context.Context) clientv3.Txn {
	gate := t.gate
	return &txn{ctx: ctx, kv: t.client, gate: &gate}
}

// String returns the tenure for people: owner and token are shortened.
func (t *Tenure) String() string { return "tenure " + t.gate.grant.String() }

// GoString is [Tenure.String], so that %#v does not disclose the grant.
func (t *Tenure) GoString() string { return t.String() }
