package etcdfence

import (
	"context"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// Txn begins a transaction that is done only while grant, the hold of a lease
// of this Locker, still has the lock: the key of the lock is compared in the
// same atomic step. It takes no guard and no registration. See [Guard.Txn] for
// how to use it.
//
// Errors of Commit: *driver.StaleError if the lease has ended, whether or not
// somebody has followed; Seen is then the present holder, if there is one.
// driver.ErrIssuer if grant comes from another cluster. Otherwise those of
// [Guard.Txn]. The options OncePerRequest and LazyWrite need a guard's record.
func (l *Locker) Txn(ctx context.Context, grant driver.Grant) clientv3.Txn {
	return &txn{ctx: ctx, kv: l.client, gate: l.gate(grant), err: grant.WellFormed()}
}

// A lockGate compares the key of a lock.
type lockGate struct {
	grant      driver.Grant
	queue, key string
	offset     int64 // of the token, as far as is known
	foreign    bool  // the values of the keys are not ours: no offset
}

func (l *Locker) gate(g driver.Grant) *lockGate {
	return &lockGate{grant: g, queue: l.queue(g.Resource), key: l.lockKey(g.Resource, g.Owner), offset: l.base(g.Resource).offset}
}

func (k *lockGate) wrap(kv clientv3.Txn, b body) clientv3.Txn {
	return kv.
		If(clientv3.Compare(clientv3.CreateRevision(k.key), "=", int64(k.grant.Token)-k.offset)).
		Then(b.ops()...).
		Else(clientv3.OpGet(k.queue, clientv3.WithFirstCreate()...))
}

func (k *lockGate) verdict(resp *clientv3.TxnResponse, b body) (*clientv3.TxnResponse, error) {
	if resp.Succeeded {
		return b.answer(resp, 0), nil
	}
	seen, offset, err := k.holder(resp)
	switch {
	case err != nil:
		return nil, err
	case seen == k.grant && offset != k.offset: // it was raised, before or after
		k.offset = offset
		return nil, nil
	}
	return nil, driver.Refused(k.grant, seen)
}

// holder is who has the lock, the zero Grant if nobody.
func (k *lockGate) holder(resp *clientv3.TxnResponse) (driver.Grant, int64, error) {
	e := readAt(resp, 0)
	if e == nil {
		return driver.Grant{}, 0, nil
	}
	var offset int64
	if !k.foreign {
		var err error
		if offset, err = offsetOf(e); err != nil {
			return driver.Grant{}, 0, err
		}
	}
	return driver.Grant{
		Resource: k.grant.Resource, Issuer: issuer(resp),
		Owner: strings.TrimPrefix(e.key, k.queue), Token: driver.Token(offset + e.create),
	}, offset, nil
}
