package etcdfence

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Locker keeps locks in etcd. The key of a lock is bound to a lease of its
// own, so that it goes when the lease ends. Its tokens have the order of the
// lock, so its holds can be registered.
//
// It implements [driver.Locker], [driver.Waiter] and [driver.Issuer]. A TTL is
// rounded up to whole seconds. A Locker is safe for concurrent use.
type Locker struct {
	client *clientv3.Client
	prefix string
	locks  string
	bases  sync.Map // name to *base, for names that were raised
}

var (
	_ driver.Locker = (*Locker)(nil)
	_ driver.Waiter = (*Locker)(nil)
	_ driver.Issuer = (*Locker)(nil)
)

// NewLocker makes a Locker. It sends nothing. Errors: an *driver.InvalidError
// for a nil client or an empty prefix.
func NewLocker(client *clientv3.Client, opts ...Option) (*Locker, error) {
	o, err := newOptions(client, opts)
	if err != nil {
		return nil, err
	}
	return &Locker{client: client, prefix: o.prefix, locks: *o.locks}, nil
}

// queue is the directory of a lock: whoever has the oldest key in it holds the
// lock, as with package concurrency. A Locker enters an empty queue only.
func (l *Locker) queue(name string) string { return l.locks + name + "/" }

func (l *Locker) lockKey(name, owner string) string { return l.queue(name) + owner }

// Acquire implements [driver.Locker].
func (l *Locker) Acquire(ctx context.Context, r driver.Request) (driver.Hold, error) {
	if err := r.WellFormed(); err != nil {
		return driver.Hold{}, err
	}
	lease, err := l.grant(ctx, r.TTL)
	if err != nil {
		return driver.Hold{}, err
	}
	h, unused, err := l.take(ctx, r, lease)
	if !errors.Is(err, driver.ErrUncertain) {
		l.revoke(ctx, unused)
	}
	return h, err
}

// take puts the key of the lock with a lease, and gives the lease that is not
// needed any more, if there is one.
func (l *Locker) take(ctx context.Context, r driver.Request, lease clientv3.LeaseID) (h driver.Hold, unused clientv3.LeaseID, err error) {
	mine := l.lockKey(r.Name, r.Owner)
	renew := clientv3.OpTxn(
		[]clientv3.Cmp{clientv3.Compare(clientv3.CreateRevision(mine), ">", 0)},
		[]clientv3.Op{rebind(mine, lease), clientv3.OpGet(mine)},
		[]clientv3.Op{clientv3.OpGet(l.queue(r.Name), clientv3.WithPrefix(), clientv3.WithCountOnly())},
	)
	for range rounds {
		b := l.base(r.Name)
		resp, err := l.client.Txn(ctx).
			If(
				clientv3.Compare(clientv3.CreateRevision(l.queue(r.Name)), "=", 0).WithPrefix(),
				clientv3.Compare(clientv3.ModRevision(l.baseKey(r.Name)), "=", b.mod),
			).
			Then(clientv3.OpPut(mine, b.text(), clientv3.WithLease(lease)), clientv3.OpPut(l.issuedKey(r.Name), b.text())).
			Else(renew, clientv3.OpGet(l.baseKey(r.Name))).
			Commit()
		if err != nil {
			return h, lease, l.taking(ctx, err)
		}
		h = driver.Hold{Name: r.Name, Owner: r.Owner, Issuer: issuer(resp)}
		if resp.Succeeded {
			h.Token = b.token(resp.Header.Revision)
			return l.vetted(ctx, h)
		}
		switch inner := nested(resp, 0); {
		case inner.Succeeded: // our own, from a request before
			e := readAt(inner, 1)
			if h.Token, err = tokenOf(e); err != nil {
				return driver.Hold{}, clientv3.NoLease, err
			}
			return h, replaced(inner, 0), nil
		case inner.Responses[0].GetResponseRange().Count > 0:
			return driver.Hold{}, lease, driver.ErrNotAcquired
		}
		if err := l.learn(r.Name, readAt(resp, 1)); err != nil {
			return driver.Hold{}, lease, err
		}
	}
	return driver.Hold{}, lease, driver.ErrBusy
}

// vetted gives a hold back whose token cannot be used.
func (l *Locker) vetted(ctx context.Context, h driver.Hold) (driver.Hold, clientv3.LeaseID, error) {
	err := h.Token.WellFormed()
	if err != nil {
		return driver.Hold{}, clientv3.NoLease, errors.Join(err, l.Release(ctx, h))
	}
	return h, clientv3.NoLease, nil
}

// rebind gives a key another lease and leaves it otherwise as it is.
func rebind(key string, lease clientv3.LeaseID) clientv3.Op {
	return clientv3.OpPut(key, "", clientv3.WithIgnoreValue(), clientv3.WithLease(lease), clientv3.WithPrevKV())
}

// taking names the error of a transaction that binds a key to a lease.
func (l *Locker) taking(ctx context.Context, err error) error {
	err = sent(ctx, err)
	if errors.Is(err, errNoLease) { // it was not bound, and another may be
		return fmt.Errorf("%w: %w", driver.ErrBusy, err)
	}
	return err
}

// issuer names the sequence of a cluster's revisions.
func issuer(resp *clientv3.TxnResponse) string {
	return fmt.Sprintf("etcd-%016x", resp.Header.ClusterId)
}

// Extend implements [driver.Locker].
func (l *Locker) Extend(ctx context.Context, h driver.Hold, ttl time.Duration) error {
	if err := driver.WellFormedTTL(ttl); err != nil {
		return err
	}
	if err := h.Grant().WellFormed(); err != nil {
		return err
	}
	// A lease cannot be made longer or shorter than it was granted: the key goes
	// to a new one, in the step that compares.
	lease, err := l.grant(ctx, ttl)
	if err != nil {
		return err
	}
	resp, err := l.held(ctx, h, rebind(l.lockKey(h.Name, h.Owner), lease))
	switch {
	case errors.Is(err, driver.ErrUncertain):
		return err
	case err != nil:
		l.revoke(ctx, lease)
		return err
	}
	l.revoke(ctx, replaced(resp, 0))
	return nil
}

// Release implements [driver.Locker].
func (l *Locker) Release(ctx context.Context, h driver.Hold) error {
	if err := h.Grant().WellFormed(); err != nil {
		return err
	}
	resp, err := l.held(ctx, h, clientv3.OpDelete(l.lockKey(h.Name, h.Owner), clientv3.WithPrevKV()))
	if err != nil {
		return err
	}
	if gone := resp.Responses[0].GetResponseDeleteRange().PrevKvs; len(gone) > 0 {
		l.revoke(ctx, clientv3.LeaseID(gone[0].Lease))
	}
	return nil
}

// held does op if h is the current hold.
func (l *Locker) held(ctx context.Context, h driver.Hold, op clientv3.Op) (*clientv3.TxnResponse, error) {
	t := &txn{ctx: ctx, kv: l.client, gate: l.gate(h.Grant()), body: body{then: []clientv3.Op{op}}}
	resp, err := t.Commit()
	switch {
	case errors.Is(err, driver.ErrStale), errors.Is(err, driver.ErrIssuer):
		return nil, driver.ErrNotOwner
	case errors.Is(err, errNoLease):
		return nil, fmt.Errorf("%w: %w", driver.ErrBusy, err)
	}
	return resp, err
}

// grant makes a lease without a key.
func (l *Locker) grant(ctx context.Context, ttl time.Duration) (clientv3.LeaseID, error) {
	if err := ctx.Err(); err != nil {
		return clientv3.NoLease, wrap(ctx, nil, err)
	}
	seconds := ttl / time.Second
	if ttl%time.Second > 0 {
		seconds++
	}
	resp, err := l.client.Grant(ctx, int64(seconds))
	if err != nil {
		return clientv3.NoLease, unsent(ctx, err)
	}
	return resp.ID, nil
}

// revokeTimeout bounds a revocation that nobody waits for.
const revokeTimeout = 5 * time.Second

// revoke ends a lease that has no key any more. It would end by itself, so
// nobody waits and an error is of no interest.
func (l *Locker) revoke(ctx context.Context, lease clientv3.LeaseID) {
	if lease == clientv3.NoLease {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTimeout)
		defer cancel()
		_, _ = l.client.Revoke(ctx, lease)
	}()
}
