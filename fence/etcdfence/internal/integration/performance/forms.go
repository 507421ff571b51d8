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
	"github.com/fencelint/fencelint/fence/internal/integration/measure"
)

type forms struct {
	client  *clientv3.Client
	locker  *etcdfence.Locker
	guard   *etcdfence.Guard
	session *concurrency.Session
	hot     driver.Grant
	claim   driver.Grant
	hold    driver.Hold
	spread  []driver.Grant // of each client
	n       atomic.Int64
}

func newForms(ctx context.Context, client *clientv3.Client, clients int) (*forms, error) {
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
	for i := range clients {
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

// put is the same change in each form of a write: a key of the client's own.
func put(client int) clientv3.Op {
	return clientv3.OpPut("data/"+strconv.Itoa(client), "0123456789012345678901234567890123456789")
}

func commit(t clientv3.Txn) error {
	_, err := t.Commit()
	return err
}

// plain are the writes without a fence, which lead the tables.
func (f *forms) plain() []measure.Form {
	return []measure.Form{
		{Name: "Put", Do: func(ctx context.Context, client int) error {
			_, err := f.client.Do(ctx, put(client))
			return err
		}},
		{Name: "Txn", Do: func(ctx context.Context, client int) error {
			return commit(f.client.Txn(ctx).Then(put(client)))
		}},
	}
}

// fenced are a write and one that is refused, by the grant of each client.
func (f *forms) fenced(grant func(client int) driver.Grant) []measure.Form {
	return []measure.Form{
		{Name: "Guard.Txn", Do: func(ctx context.Context, client int) error {
			return commit(f.guard.Txn(ctx, grant(client)).Then(put(client)))
		}},
		{Name: "Guard.Txn, refused", Do: func(ctx context.Context, client int) error {
			stale := grant(client)
			stale.Token--
			err := commit(f.guard.Txn(ctx, stale).Then(put(client)))
			if !errors.Is(err, driver.ErrStale) {
				return fmt.Errorf("a stale write was not refused: %w", err)
			}
			return nil
		}},
	}
}

func (f *forms) spreadWrites() []measure.Form {
	return append(f.plain(), f.fenced(func(client int) driver.Grant { return f.spread[client] })...)
}

func (f *forms) hotWrites() []measure.Form {
	all := append(f.plain(), f.fenced(func(int) driver.Grant { return f.hot })...)
	return append(all, []measure.Form{
		{Name: "Guard.Txn, claimed", Do: func(ctx context.Context, client int) error {
			return commit(f.guard.Txn(ctx, f.claim).Then(put(client)))
		}},
		{Name: "Guard.Txn, once per request", Do: func(ctx context.Context, client int) error {
			return commit(f.guard.Txn(ctx, f.hot, driver.OncePerRequest("q"+f.unique())).Then(put(client)))
		}},
		{Name: "Locker.Txn", Do: func(ctx context.Context, client int) error {
			return commit(f.locker.Txn(ctx, f.hold.Grant()).Then(put(client)))
		}},
	}...)
}

// unique names something that there was not before.
func (f *forms) unique() string {
	return strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.FormatInt(f.n.Add(1), 36)
}

// locks are pairs of an acquisition and a release, led by the cheapest of
// etcd's own package, that has a lease for the life of the process, and by the
// one that has a lease for each lock, as Locker has.
func (f *forms) locks() []measure.Form {
	return []measure.Form{
		{Name: "concurrency.Mutex, one session for all", Do: func(ctx context.Context, client int) error {
			m := concurrency.NewMutex(f.session, "mutex/"+strconv.Itoa(client))
			if err := m.Lock(ctx); err != nil {
				return err
			}
			return m.Unlock(ctx)
		}},
		{Name: "concurrency.Mutex, a session for each", Do: func(ctx context.Context, client int) error {
			s, err := concurrency.NewSession(f.client)
			if err != nil {
				return err
			}
			m := concurrency.NewMutex(s, "mutexes/"+strconv.Itoa(client))
			if err := m.Lock(ctx); err != nil {
				return err
			}
			return s.Close() // frees the lock with the lease
		}},
		{Name: "Locker", Do: func(ctx context.Context, client int) error {
			r := driver.Request{Name: "lock-" + strconv.Itoa(client), Owner: f.unique(), TTL: time.Minute}
			h, err := f.locker.Acquire(ctx, r)
			if err != nil {
				return err
			}
			return f.locker.Release(ctx, h)
		}},
	}
}
