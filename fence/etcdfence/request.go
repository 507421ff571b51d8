package etcdfence

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// A request is the key that records one request id of one resource. Its value
// is the token under which it was applied; that is no part of the key, so the
// next holder meets the request of the one before.
type request struct{ key, id string }

func (g *Guard) requests() string { return g.prefix + "request/" }

func (g *Guard) requestKey(resource, id string) string {
	return g.requests() + resource + "/" + id
}

func (r *request) duplicate(resource string, e *entry) error {
	d := &driver.DuplicateError{Resource: resource, Request: r.id}
	if e != nil {
		d.Token, _ = driver.ParseToken(e.value) // zero, unknown, if it is not a token
	}
	return d
}

// Applied gives the token under which a request was applied, zero if it was
// not. After a lost answer, ask only when the writer in doubt can write no
// more: after a registration of your own. Before that a zero is no answer.
// Errors: driver.ErrUnavailable, driver.ErrInvalid.
func (g *Guard) Applied(ctx context.Context, resource, id string) (driver.Token, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return 0, err
	}
	if err := driver.WellFormedName("request", id); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, wrap(ctx, nil, err)
	}
	resp, err := g.client.Get(ctx, g.requestKey(resource, id))
	if err != nil {
		return 0, unsent(ctx, err)
	}
	e := read(resp)
	if e == nil {
		return 0, nil
	}
	token, err := driver.ParseToken(e.value)
	if err != nil {
		return 0, ErrRecord
	}
	return token, nil
}

// pruneBatch is the number of keys that one request forgets, below the 128
// operations that etcd allows by default.
const pruneBatch = 100

// Prune forgets the requests, of all resources, that were applied at revision
// through or before, and counts them. etcd keys have no time: note the
// Header.Revision of any answer, and prune with it when a request can not be on
// its way for so long, retries by queues and people included. A request that
// comes again after it was forgotten is applied again.
//
// Errors: driver.ErrUnavailable, driver.ErrUncertain, and driver.ErrInvalid for
// a revision that is not positive. Those counted were forgotten all the same.
func (g *Guard) Prune(ctx context.Context, through int64) (int64, error) {
	if through <= 0 {
		return 0, &driver.InvalidError{What: "revision", Reason: "is not positive"}
	}
	var n int64
	for {
		if err := ctx.Err(); err != nil {
			return n, wrap(ctx, nil, err)
		}
		resp, err := g.client.Get(ctx, g.requests(), clientv3.WithPrefix(), clientv3.WithKeysOnly(),
			clientv3.WithMaxModRev(through), clientv3.WithLimit(pruneBatch))
		if err != nil {
			return n, unsent(ctx, err)
		}
		if len(resp.Kvs) == 0 {
			return n, nil
		}
		var forget []clientv3.Op
		for _, kv := range resp.Kvs {
			forget = append(forget, clientv3.OpDelete(string(kv.Key)))
		}
		if _, err := g.client.Txn(ctx).Then(forget...).Commit(); err != nil {
			return n, sent(ctx, err)
		}
		n += int64(len(forget))
	}
}
