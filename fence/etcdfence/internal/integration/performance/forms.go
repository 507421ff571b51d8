package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence"
)

// A form is one way to do something.
type form struct {
	name string
	// do is called with the number of the caller, from zero.
	do func(ctx context.Context, caller int) error
}

// many is the number of guards where not all writes meet the same one.
const many = 100

type forms struct {
	client  *clientv3.Client
	locker  *etcdfence.Locker
	guard   *etcdfence.Guard
	session *concurrency.Session
	hot     driver.Grant
	claim   driver.Grant
	hold    driver.Hold
	spread  []driver.Grant
	n       atomic.Int64
}

func newForms(ctx context.Context, client *clientv3.Client) (*forms, error) {
	f := &forms{client: client}
	var err error
	if f.locker, err = etcdfence.NewLocker(client); err != nil {
		return nil, err
	}
	if f.guard, err = etcdfence.NewGuard(client); err != nil {
		return nil, err
	}
	if f.session, err = concurrency.NewSession(client); err != nil {
		return nil, err
	}
	register := func(resource string) (driver.Grant, error) {
		g := driver.Grant{Resource: resource, Issuer: "locks", Owner: "owner-0123456789abcdef", Token: 7}
		return g, f.guard.Register(ctx, g)
	}
	if f.hot, err = register("hot"); err != nil {
		return nil, err
	}
	for i := range many {
		g, err := register("r" + strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		f.spread = append(f.spread, g)
	}
	if f.claim, err = f.guard.Claim(ctx, "claimed", "owner-0123456789abcdef"); err != nil {
		return nil, err
	}
	f.hold, err = f.locker.Acquire(ctx, driver.Request{Name: "held", Owner: "owner-0123456789abcdef", TTL: time.Hour})
	return f, err
}

// put is the same change in each form of a write: a key of the caller's own.
func put(caller int) clientv3.Op {
	return clientv3.OpPut("data/"+strconv.Itoa(caller), "0123456789012345678901234567890123456789")
}

func commit(t clientv3.Txn) error {
	_, err := t.Commit()
	return err
}

// writes are led by those without a fence.
func (f *forms) writes() []form {
	stale := f.hot
	stale.Token--
	return []form{
		{"Put", func(ctx context.Context, caller int) error {
			_, err := f.client.Do(ctx, put(caller))
			return err
		}},
		{"Txn", func(ctx context.Context, caller int) error {
			return commit(f.client.Txn(ctx).Then(put(caller)))
		}},
		{"Guard.Txn", func(ctx context.Context, caller int) error {
			return commit(f.guard.Txn(ctx, f.hot).Then(put(caller)))
		}},
		{fmt.Sprintf("Guard.Txn, %d guards", many), func(ctx context.Context, caller int) error {
			return commit(f.guard.Txn(ctx, f.spread[f.n.Add(1)%many]).Then(put(caller)))
		}},
		{"Guard.Txn, claimed", func(ctx context.Context, caller int) error {
			return commit(f.guard.Txn(ctx, f.claim).Then(put(caller)))
		}},
		{"Locker.Txn", func(ctx context.Context, caller int) error {
			return commit(f.locker.Txn(ctx, f.hold.Grant()).Then(put(caller)))
		}},
		{"Guard.Txn, once per request", func(ctx context.Context, caller int) error {
			return commit(f.guard.Txn(ctx, f.hot, driver.OncePerRequest("q"+f.unique())).Then(put(caller)))
		}},
		{"Guard.Txn, refused", func(ctx context.Context, caller int) error {
			err := commit(f.guard.Txn(ctx, stale).Then(put(caller)))
			if !errors.Is(err, driver.ErrStale) {
				return fmt.Errorf("a stale write was not refused: %w", err)
			}
			return nil
		}},
	}
}

// unique names something that there was not before.
func (f *forms) unique() string {
	return strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.FormatInt(f.n.Add(1), 36)
}

// locks are pairs of an acquisition and a release, led by the cheapest of
// etcd's own package, that has a lease for the life of the process, and by the
// one that has a lease for each lock, as Locker has.
func (f *forms) locks() []form {
	return []form{
		{"concurrency.Mutex, one session for all", func(ctx context.Context, caller int) error {
			m := concurrency.NewMutex(f.session, "mutex/"+strconv.Itoa(caller))
			if err := m.Lock(ctx); err != nil {
				return err
			}
			return m.Unlock(ctx)
		}},
		{"concurrency.Mutex, a session for each", func(ctx context.Context, caller int) error {
			s, err := concurrency.NewSession(f.client)
			if err != nil {
				return err
			}
			m := concurrency.NewMutex(s, "mutexes/"+strconv.Itoa(caller))
			if err := m.Lock(ctx); err != nil {
				return err
			}
			return s.Close() // frees the lock with the lease
		}},
		{"Locker", func(ctx context.Context, caller int) error {
			r := driver.Request{Name: "lock-" + strconv.Itoa(caller), Owner: f.unique(), TTL: time.Minute}
			h, err := f.locker.Acquire(ctx, r)
			if err != nil {
				return err
			}
			return f.locker.Release(ctx, h)
		}},
	}
}
