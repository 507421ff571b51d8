package integration

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence"
	"github.com/fencelint/fencelint/fence/memfence"
)

func session(t *testing.T, c *clientv3.Client) *concurrency.Session {
	t.Helper()
	s, err := concurrency.NewSession(c, concurrency.WithTTL(60))
	require.NoError(t, err)
	return s
}

// lost ends the lease under a session.
func lost(t *testing.T, c *clientv3.Client, s *concurrency.Session) {
	t.Helper()
	_, err := c.Revoke(t.Context(), s.Lease())
	require.NoError(t, err)
}

// A foreign lock is one of package concurrency.
type foreign struct {
	take   func(ctx context.Context) error
	leave  func(ctx context.Context) error
	tenure func(ctx context.Context, resource string) (*etcdfence.Tenure, error)
}

func foreigns(c *clientv3.Client, prefix string) map[string]func(*concurrency.Session) foreign {
	return map[string]func(*concurrency.Session) foreign{
		"mutex": func(s *concurrency.Session) foreign {
			m := concurrency.NewMutex(s, prefix+"mutex")
			return foreign{m.Lock, m.Unlock, func(ctx context.Context, resource string) (*etcdfence.Tenure, error) {
				return etcdfence.OfMutex(ctx, c, m, resource)
			}}
		},
		"election": func(s *concurrency.Session) foreign {
			e := concurrency.NewElection(s, prefix+"election")
			return foreign{
				func(ctx context.Context) error { return e.Campaign(ctx, "me") }, e.Resign,
				func(ctx context.Context, resource string) (*etcdfence.Tenure, error) {
					return etcdfence.OfElection(ctx, c, e, resource)
				},
			}
		},
	}
}

// TestForeignLocks: the locks of etcd's own package stay as they are, and their
// late writes are refused, in this etcd and at a guard elsewhere.
func TestForeignLocks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t)
	outside := memfence.NewStore()
	for name, lock := range foreigns(s.client, s.prefix) {
		t.Run(name, func(t *testing.T) {
			put := func(tenure *etcdfence.Tenure, value string) error {
				_, err := tenure.Txn(ctx).Then(clientv3.OpPut(s.key(name), value)).Commit()
				return err
			}
			oldSession := session(t, s.client)
			old := lock(oldSession)
			_, err := old.tenure(ctx, name)
			require.ErrorIs(t, err, driver.ErrNotOwner, "nothing is held yet")
			require.NoError(t, old.take(ctx))
			a, err := old.tenure(ctx, name)
			require.NoError(t, err)
			again, err := old.tenure(ctx, name)
			require.NoError(t, err)
			require.Equal(t, a.Grant(), again.Grant(), "one tenure is one grant")
			require.NoError(t, outside.Register(ctx, a.Grant()))
			require.NoError(t, s.guard.Register(ctx, a.Grant()))
			require.NoError(t, put(a, "a"))

			// A candidate that waits holds nothing.
			next := lock(session(t, s.client))
			won := make(chan error, 1)
			go func() { won <- next.take(ctx) }()
			lost(t, s.client, oldSession)
			require.NoError(t, <-won)
			require.ErrorIs(t, put(a, "late"), driver.ErrStale, "the lease has ended")
			_, err = old.tenure(ctx, name)
			require.ErrorIs(t, err, driver.ErrNotOwner)

			b, err := next.tenure(ctx, name)
			require.NoError(t, err)
			require.Greater(t, b.Grant().Token, a.Grant().Token)
			require.Equal(t, a.Grant().Issuer, b.Grant().Issuer)
			require.NoError(t, outside.Register(ctx, b.Grant()))
			require.NoError(t, s.guard.Register(ctx, b.Grant()))
			require.NoError(t, put(b, "b"))
			require.ErrorIs(t, put(a, "late"), driver.ErrStale)
			require.ErrorIs(t, outside.Put(ctx, a.Grant(), "k", "late"), driver.ErrStale)
			require.ErrorIs(t, s.write(ctx, a.Grant(), name, "late"), driver.ErrStale)
			value, err := s.read(ctx, name)
			require.NoError(t, err)
			require.Equal(t, "b", value)

			// The same session may hold again: a new tenure.
			require.NoError(t, next.leave(ctx))
			require.ErrorIs(t, put(b, "left"), driver.ErrStale)
			require.NoError(t, next.take(ctx))
			c, err := next.tenure(ctx, name)
			require.NoError(t, err)
			require.Greater(t, c.Grant().Token, b.Grant().Token)
			require.NotEqual(t, c.Grant().Owner, b.Grant().Owner)
			require.ErrorIs(t, put(b, "left"), driver.ErrStale)
			require.NoError(t, put(c, "c"))
			for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%#v", c), fmt.Sprint(c.Grant())} {
				require.NotContains(t, text, c.Grant().Owner)
				require.NotContains(t, text, c.Grant().Token.String())
			}
		})
	}
}

// TestWaitingMutex: a Mutex whose key is queued has a create revision too, and
// is no owner.
func TestWaitingMutex(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t)
	first := concurrency.NewMutex(session(t, s.client), s.prefix+"m")
	require.NoError(t, first.Lock(ctx))
	waiting := session(t, s.client)
	// What Lock puts before it waits, without the race of asking a Mutex in use.
	key := fmt.Sprintf("%sm/%x", s.prefix, waiting.Lease())
	_, err := s.client.Put(ctx, key, "", clientv3.WithLease(waiting.Lease()))
	require.NoError(t, err)
	resumed := concurrency.ResumeElection(waiting, s.prefix+"m", key, revisionOf(t, s.client, key))
	_, err = etcdfence.OfElection(ctx, s.client, resumed, "job")
	require.ErrorIs(t, err, driver.ErrNotOwner)
	require.NoError(t, first.Unlock(ctx))
	_, err = etcdfence.OfElection(ctx, s.client, resumed, "job")
	require.NoError(t, err, "now it is the first")
}

func revisionOf(t *testing.T, c *clientv3.Client, key string) int64 {
	t.Helper()
	resp, err := c.Get(t.Context(), key)
	require.NoError(t, err)
	return resp.Kvs[0].CreateRevision
}

// TestBesideMutex: a Locker and a Mutex of the same name exclude each other,
// and their tokens grow in the order in which they hold.
func TestBesideMutex(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t)
	locks := s.prefix + "my/locks/"
	locker, err := etcdfence.NewLocker(s.client, etcdfence.WithPrefix(s.prefix), etcdfence.WithLocks(locks))
	require.NoError(t, err)
	var mu sync.Mutex
	var tokens []driver.Token
	inside := 0
	enter := func(token driver.Token) {
		mu.Lock()
		defer mu.Unlock()
		inside++
		if inside != 1 {
			t.Error("two hold the lock")
		}
		tokens = append(tokens, token)
	}
	leave := func() {
		mu.Lock()
		defer mu.Unlock()
		inside--
	}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			for n := range 10 {
				r := driver.Request{Name: "job", Owner: fmt.Sprintf("owner-%d-%d-0123456789", i, n), TTL: time.Minute}
				h, err := locker.Acquire(ctx, r)
				for errors.Is(err, driver.ErrNotAcquired) {
					if err = locker.Wait(ctx, "job"); err == nil {
						h, err = locker.Acquire(ctx, r)
					}
				}
				if err != nil {
					t.Error(err)
					return
				}
				enter(h.Token)
				leave()
				if err := locker.Release(ctx, h); err != nil {
					t.Error(err)
				}
			}
		})
		se := session(t, s.client)
		wg.Go(func() {
			m := concurrency.NewMutex(se, locks+"job")
			for range 10 {
				err := m.Lock(ctx)
				var tenure *etcdfence.Tenure
				if err == nil {
					tenure, err = etcdfence.OfMutex(ctx, s.client, m, "job")
				}
				if err != nil {
					t.Error(err)
					return
				}
				enter(tenure.Grant().Token)
				leave()
				if err := m.Unlock(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, tokens, 40)
	require.IsIncreasing(t, tokens)
}

// TestLockTxn: the key of the lock is the guard.
func TestLockTxn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t)
	put := func(g driver.Grant, value string) error {
		_, err := s.locker.Txn(ctx, g).Then(clientv3.OpPut(s.key("k"), value)).Commit()
		return err
	}
	take := func(owner string) driver.Hold {
		h, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: owner, TTL: time.Minute})
		require.NoError(t, err)
		return h
	}
	a := take("a-0123456789")
	require.NoError(t, put(a.Grant(), "a"))
	require.NoError(t, s.expire(ctx, "job"))
	require.ErrorIs(t, put(a.Grant(), "late"), driver.ErrStale, "nobody has followed yet")
	b := take("b-0123456789")
	var stale *driver.StaleError
	require.ErrorAs(t, put(a.Grant(), "late"), &stale)
	require.Equal(t, b.Grant(), stale.Seen)
	require.NoError(t, put(b.Grant(), "b"))
	other := b.Grant()
	other.Issuer = "etcd-0000000000000001"
	other.Token++
	require.ErrorIs(t, put(other, "foreign"), driver.ErrIssuer)

	// A raise while the lock is held changes neither the hold nor its writes, and
	// those of the next are known to a Locker that has seen none of it.
	require.NoError(t, s.locker.Raise(ctx, "job", b.Token+1000))
	require.NoError(t, put(b.Grant(), "b again"))
	require.NoError(t, s.locker.Release(ctx, b))
	require.ErrorIs(t, put(b.Grant(), "released"), driver.ErrStale)
	c := take("c-0123456789")
	require.Greater(t, c.Token, b.Token+1000)
	fresh := over(t, s.client, s.prefix)
	_, err := fresh.locker.Txn(ctx, c.Grant()).Then(clientv3.OpPut(s.key("k"), "c")).Commit()
	require.NoError(t, err)
	require.NoError(t, fresh.locker.Extend(ctx, c, time.Hour))
	require.NoError(t, fresh.locker.Release(ctx, c))
	value, err := s.read(ctx, "k")
	require.NoError(t, err)
	require.Equal(t, "c", value)
}

// TestConditions: a condition of the caller that fails is no refusal, and a
// request is not taken as applied by it.
func TestConditions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t)
	g := grant("job", "owner-0123456789", 3)
	try := func(want string, opts ...driver.WriteOption) *clientv3.TxnResponse {
		t.Helper()
		resp, err := s.guard.Txn(ctx, g, opts...).
			If(clientv3.Compare(clientv3.Value(s.key("k")), "=", want)).
			Then(clientv3.OpPut(s.key("k"), "changed"), clientv3.OpGet(s.key("k"))).
			Else(clientv3.OpGet(s.key("k"))).
			Commit()
		require.NoError(t, err)
		require.Positive(t, resp.Header.Revision)
		return resp
	}
	value := func(resp *clientv3.TxnResponse, i int) string {
		return string(resp.Responses[i].GetResponseRange().Kvs[0].Value)
	}
	require.NoError(t, s.put(ctx, "k", "start"))
	for _, opts := range [][]driver.WriteOption{
		{driver.LazyWrite()},
		{driver.LazyWrite(), driver.OncePerRequest("q")},
	} {
		resp := try("other", opts...)
		require.False(t, resp.Succeeded)
		require.Equal(t, "start", value(resp, 0))
		seen, err := s.guard.Seen(ctx, "job")
		require.NoError(t, err)
		require.Zero(t, seen, "nothing was written, so nothing is raised")
	}
	require.NoError(t, s.guard.Register(ctx, g))
	for _, opts := range [][]driver.WriteOption{
		nil,
		{driver.OncePerRequest("q")},
		{driver.LazyWrite()},
		{driver.LazyWrite(), driver.OncePerRequest("q")},
	} {
		resp := try("other", opts...)
		require.False(t, resp.Succeeded)
		require.Len(t, resp.Responses, 1)
		require.Equal(t, "start", value(resp, 0))
	}
	token, err := s.guard.Applied(ctx, "job", "q")
	require.NoError(t, err)
	require.Zero(t, token)
	for i, opts := range [][]driver.WriteOption{
		nil,
		{driver.OncePerRequest("q1")},
		{driver.LazyWrite()},
		{driver.LazyWrite(), driver.OncePerRequest("q2")},
	} {
		require.NoError(t, s.put(ctx, "k", "start"))
		resp := try("start", opts...)
		require.True(t, resp.Succeeded, "%d", i)
		require.Len(t, resp.Responses, 2, "%d", i)
		require.Equal(t, "changed", value(resp, 1), "%d", i)
	}
}
