package etcdfence

import (
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// A check is the gate of a guard's transactions.
type check struct {
	record  record
	grant   driver.Grant
	lazy    bool
	request *request // nil without OncePerRequest
}

func (c check) wrap(kv clientv3.Txn, b body) clientv3.Txn {
	cmps, then := c.record.shows(c.grant), b.ops(c.marks()...)
	refusal := []clientv3.Op{c.record.get()}
	if c.lazy {
		cmps, then, refusal = c.raising(b)
	}
	if c.request == nil {
		return kv.If(cmps...).Then(then...).Else(refusal...)
	}
	unapplied := clientv3.Compare(clientv3.CreateRevision(c.request.key), "=", 0)
	look := []clientv3.Op{c.record.get(), clientv3.OpGet(c.request.key)}
	if c.lazy {
		return kv.If(unapplied).Then(clientv3.OpTxn(cmps, then, refusal)).Else(look...)
	}
	return kv.If(slices.Concat(cmps, []clientv3.Cmp{unapplied})...).Then(then...).Else(look...)
}

// raising is the lazy form, the rule of Register with the body in each branch
// that accepts. The raise belongs to the body: if a condition of the caller
// fails, nothing is raised.
func (c check) raising(b body) (cmps []clientv3.Cmp, then, otherwise []clientv3.Op) {
	raise := b.ops(append([]clientv3.Op{c.record.put(c.grant)}, c.marks()...)...)
	same := clientv3.OpTxn(c.record.shows(c.grant), b.ops(c.marks()...), []clientv3.Op{c.record.get()})
	lower := clientv3.OpTxn(c.record.below(c.grant), raise, []clientv3.Op{same})
	return c.record.absent(), raise, []clientv3.Op{lower}
}

// marks are the operations that record the request.
func (c check) marks() []clientv3.Op {
	if c.request == nil {
		return nil
	}
	return []clientv3.Op{clientv3.OpPut(c.request.key, c.grant.Token.String())}
}

func (c check) verdict(resp *clientv3.TxnResponse, b body) (*clientv3.TxnResponse, error) {
	if c.lazy {
		return c.raised(resp, b)
	}
	if resp.Succeeded {
		return b.answer(resp, len(c.marks())), nil
	}
	seen, err := c.record.parse(readAt(resp, 0))
	switch {
	case err != nil:
		return nil, err
	case seen == c.grant && c.request != nil:
		return nil, c.request.duplicate(c.grant.Resource, readAt(resp, 1))
	}
	return nil, driver.Refused(c.grant, seen)
}

// raised is the verdict of the lazy form.
func (c check) raised(resp *clientv3.TxnResponse, b body) (*clientv3.TxnResponse, error) {
	if c.request != nil {
		if !resp.Succeeded {
			seen, err := c.record.parse(readAt(resp, 0))
			switch {
			case err != nil:
				return nil, err
			case seen == driver.Grant{}, seen == c.grant, seen.Issuer == c.grant.Issuer && seen.Token < c.grant.Token:
				return nil, c.request.duplicate(c.grant.Resource, readAt(resp, 1))
			}
			return nil, driver.Refused(c.grant, seen)
		}
		resp = nested(resp, 0)
	}
	for _, extra := range []int{1, 1, 0} { // absent, lower, same
		if resp.Succeeded {
			return b.answer(resp, extra+len(c.marks())), nil
		}
		if extra == 0 {
			break
		}
		resp = nested(resp, 0)
	}
	seen, err := c.record.parse(readAt(resp, 0))
	if err != nil {
		return nil, err
	}
	return nil, driver.Refused(c.grant, seen)
}
