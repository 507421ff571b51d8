package etcdfence

import (
	"context"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// Txn begins a transaction that the guard admits: whatever it does is done
// only if the record still is grant, in the one atomic step of etcd. If, Then
// and Else are those of etcd's client; a condition of your own that does not
// hold is no refusal: the answer says Succeeded false, and Else was done. If
// and Then may be left out.
//
//	resp, err := guard.Txn(ctx, grant).Then(clientv3.OpPut("total", "42")).Commit()
//
// OncePerRequest and LazyWrite are supported. A request is recorded in the same
// step, beside the operations of Then, so not if a condition of your own fails.
//
// Errors of Commit: *driver.StaleError or driver.ErrIssuer if the guard
// refuses, *driver.DuplicateError if the request was applied before;
// driver.ErrBusy; driver.ErrUnavailable; driver.ErrInvalid. After these nothing
// was done. driver.ErrUncertain if the answer was lost: with OncePerRequest,
// send the same again, and an ErrDuplicate means that it was applied. An error
// without a name of package driver is etcd's word on a faulty operation, and
// nothing was done. The operations must not touch keys of this package.
//
// The Txn that is returned is for one goroutine and one Commit.
func (g *Guard) Txn(ctx context.Context, grant driver.Grant, opts ...driver.WriteOption) clientv3.Txn {
	w, err := driver.NewWrite(opts...)
	if err == nil {
		err = grant.WellFormed()
	}
	if err == nil && w.Lazy {
		err = registrable(ctx, grant)
	}
	c := check{record: g.record(grant.Resource), grant: grant, lazy: w.Lazy}
	if w.Request != "" {
		c.request = &request{key: g.requestKey(grant.Resource, w.Request), id: w.Request}
	}
	return &txn{ctx: ctx, kv: g.client, gate: c, err: err}
}

// A gate lets the body of a transaction through.
type gate interface {
	// wrap puts the conditions before the body.
	wrap(kv clientv3.Txn, b body) clientv3.Txn
	// verdict finds the answer to the body, nil for another round with what was
	// learnt, or the refusal.
	verdict(resp *clientv3.TxnResponse, b body) (*clientv3.TxnResponse, error)
}

// A txn collects a transaction and sends it through a gate.
type txn struct {
	ctx  context.Context
	kv   clientv3.KV
	gate gate
	err  error
	body body
}

func (t *txn) If(cs ...clientv3.Cmp) clientv3.Txn {
	t.body.cmps = append(t.body.cmps, cs...)
	return t
}

func (t *txn) Then(ops ...clientv3.Op) clientv3.Txn {
	t.body.then = append(t.body.then, ops...)
	return t
}

func (t *txn) Else(ops ...clientv3.Op) clientv3.Txn {
	t.body.otherwise = append(t.body.otherwise, ops...)
	return t
}

// rounds bounds how often a transaction is sent that has done nothing yet and
// whose answer shows how to put it right.
const rounds = 3

func (t *txn) Commit() (*clientv3.TxnResponse, error) {
	if t.err != nil {
		return nil, t.err
	}
	for range rounds {
		if err := t.ctx.Err(); err != nil {
			return nil, wrap(t.ctx, nil, err)
		}
		resp, err := t.gate.wrap(t.kv.Txn(t.ctx), t.body).Commit()
		if err != nil {
			return nil, sent(t.ctx, err)
		}
		inner, err := t.gate.verdict(resp, t.body)
		if err != nil {
			return nil, err
		}
		if inner != nil {
			inner.Header = resp.Header
			return inner, nil
		}
	}
	return nil, driver.ErrBusy
}

// A body is what the caller wants done.
type body struct {
	cmps            []clientv3.Cmp
	then, otherwise []clientv3.Op
}

// ops are the operations of the body. Those in extra belong to its Then.
func (b body) ops(extra ...clientv3.Op) []clientv3.Op {
	then := slices.Concat(extra, b.then)
	if len(b.cmps) == 0 {
		return then
	}
	return []clientv3.Op{clientv3.OpTxn(b.cmps, then, b.otherwise)}
}

// answer is the answer to the body within that of the transaction whose Then
// was ops, without the answers to so many extra operations.
func (b body) answer(resp *clientv3.TxnResponse, extra int) *clientv3.TxnResponse {
	if len(b.cmps) > 0 {
		resp = nested(resp, 0)
	}
	if resp.Succeeded {
		resp.Responses = resp.Responses[extra:]
	}
	return resp
}
