package integration

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/cluster"
	"github.com/fencelint/fencelint/fence/fencetest"
)

// A store is what tests use of one etcd: a lock service, a guard, and keys to
// write.
type store struct {
	client *clientv3.Client
	prefix string
	locker *etcdfence.Locker
	guard  *etcdfence.Guard
}

// dial opens a client that is closed with the test.
func dial(tb testing.TB, endpoints ...string) *clientv3.Client {
	tb.Helper()
	c, err := cluster.NewClient(endpoints...)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// over makes a store below a prefix.
func over(tb testing.TB, client *clientv3.Client, prefix string) *store {
	tb.Helper()
	s := &store{client: client, prefix: prefix}
	var err error
	s.locker, err = etcdfence.NewLocker(client, etcdfence.WithPrefix(prefix))
	require.NoError(tb, err)
	s.guard, err = etcdfence.NewGuard(client, etcdfence.WithPrefix(prefix))
	require.NoError(tb, err)
	return s
}

var prefixes atomic.Int64

// unused is a prefix that no other test of this process has.
func unused() string { return fmt.Sprintf("t%d/", prefixes.Add(1)) }

func (s *store) key(k string) string { return s.prefix + "data/" + k }

// write sets a key in a fenced transaction.
func (s *store) write(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
	_, err := s.guard.Txn(ctx, g, opts...).Then(clientv3.OpPut(s.key(key), value)).Commit()
	return err
}

// writeIf is write with a condition of the caller, that always holds.
func (s *store) writeIf(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
	resp, err := s.guard.Txn(ctx, g, opts...).
		If(clientv3.Compare(clientv3.Version(s.key(key)), "<", int64(math.MaxInt64))).
		Then(clientv3.OpPut(s.key(key), value)).
		Else(clientv3.OpGet(s.key(key))).
		Commit()
	if err == nil && (!resp.Succeeded || len(resp.Responses) != 1 || resp.Responses[0].GetResponsePut() == nil) {
		return fmt.Errorf("the answer is not that of the one put: %v", resp)
	}
	return err
}

// put sets a key, unfenced.
func (s *store) put(ctx context.Context, key, value string) error {
	_, err := s.client.Put(ctx, s.key(key), value)
	return err
}

func (s *store) read(ctx context.Context, key string) (string, error) {
	resp, err := s.client.Get(ctx, s.key(key))
	if err != nil || len(resp.Kvs) == 0 {
		return "", err
	}
	return string(resp.Kvs[0].Value), nil
}

// expire ends the lease of a lock, as a revocation under its holder does.
func (s *store) expire(ctx context.Context, name string) error {
	resp, err := s.client.Get(ctx, s.prefix+"lock/"+name+"/", clientv3.WithPrefix())
	if err != nil {
		return err
	}
	for _, kv := range resp.Kvs {
		if _, err := s.client.Revoke(ctx, clientv3.LeaseID(kv.Lease)); err != nil {
			return err
		}
	}
	return nil
}

// lose sets the tokens of a lock back and ends its hold. No other test may use
// the cluster: the numbers come from its revision.
func (s *store) lose(ctx context.Context, name string, last driver.Token) error {
	resp, err := s.client.Get(ctx, "revision")
	if err != nil {
		return err
	}
	offset := fmt.Sprint(int64(last) - resp.Header.Revision - 1)
	done, err := s.client.Txn(ctx).Then(
		clientv3.OpDelete(s.prefix+"lock/"+name+"/", clientv3.WithPrefix()),
		clientv3.OpPut(s.prefix+"base/"+name, offset),
		clientv3.OpPut(s.prefix+"issued/"+name, offset),
	).Commit()
	if err == nil && done.Header.Revision != resp.Header.Revision+1 {
		return fmt.Errorf("somebody else uses the cluster")
	}
	return err
}

// record sets the guard's record behind its back; with a resource alone it
// removes the record.
func (s *store) record(ctx context.Context, g driver.Grant) error {
	key := s.prefix + "guard/" + g.Resource
	if _, err := s.client.Delete(ctx, key); err != nil || g.Issuer == "" {
		return err
	}
	if g.Issuer == driver.StoreIssuer {
		for range g.Token {
			if _, err := s.client.Put(ctx, key, "store:"+g.Owner); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := s.client.Put(ctx, key, fmt.Sprintf("%s:%019d:%s", g.Issuer, int64(g.Token), g.Owner))
	return err
}

type writeFunc = func(context.Context, driver.Grant, string, string, ...driver.WriteOption) error

// guardHarness is one for fencetest.TestGuard.
func (s *store) guardHarness(write writeFunc) *fencetest.GuardHarness {
	return &fencetest.GuardHarness{
		Guard:    s.guard,
		Write:    write,
		Read:     s.read,
		Record:   s.record,
		Features: fencetest.Features{Lazy: true, Once: true, Adopter: true},
		WriteAround: func(ctx context.Context, g driver.Grant, key, value string, between func()) error {
			between()
			return write(ctx, g, key, value)
		},
	}
}

// lockHarness is one for fencetest.TestLocker.
func (s *store) lockHarness() *fencetest.LockHarness {
	return &fencetest.LockHarness{
		Locker: s.locker,
		Expire: s.expire,
		ReleaseAround: func(ctx context.Context, h driver.Hold, between func()) error {
			between()
			return s.locker.Release(ctx, h)
		},
	}
}

// grant is one of a lock service outside of etcd.
func grant(resource, owner string, token driver.Token) driver.Grant {
	return driver.Grant{Resource: resource, Issuer: "alpha", Owner: owner, Token: token}
}
