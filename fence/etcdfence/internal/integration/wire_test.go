package integration

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/wire"
)

// The gRPC methods, as they go over the wire.
const (
	callTxn    = "/etcdserverpb.KV/Txn"
	callRange  = "/etcdserverpb.KV/Range"
	callGrant  = "/etcdserverpb.Lease/LeaseGrant"
	callRevoke = "/etcdserverpb.Lease/LeaseRevoke"
)

// behind opens a store behind a proxy.
func behind(t testing.TB, delay time.Duration) (*wire.Proxy, *store) {
	t.Helper()
	p, err := wire.Start(shared.get(t).Endpoints()[0], delay)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p, over(t, dial(t, p.Address()), unused())
}

// TestRoundTrips counts the calls at the wire. A call is one round trip. The
// revocations that nobody waits for are waited for here.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p, s := behind(t, 0)
	expect := func(what string, want map[string]int, f func() error) {
		t.Helper()
		before := p.Calls()
		require.NoError(t, f(), what)
		made := func() map[string]int {
			now := p.Calls()
			maps.DeleteFunc(now, func(path string, n int) bool { return n == before[path] })
			for path := range now {
				now[path] -= before[path]
			}
			return now
		}
		require.Eventually(t, func() bool { return maps.Equal(want, made()) }, time.Minute, time.Millisecond, "%s: %v", what, want)
		require.Equal(t, want, made(), what)
	}
	one := map[string]int{callTxn: 1}
	var h driver.Hold
	request := driver.Request{Name: "job", Owner: "owner-0123456789", TTL: time.Minute}
	expect("acquire", map[string]int{callGrant: 1, callTxn: 1}, func() (err error) {
		h, err = s.locker.Acquire(ctx, request)
		return err
	})
	expect("acquire a held lock", map[string]int{callGrant: 1, callTxn: 1, callRevoke: 1}, func() error {
		_, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: "other-0123456789", TTL: time.Minute})
		require.ErrorIs(t, err, driver.ErrNotAcquired)
		return nil
	})
	expect("acquire again", map[string]int{callGrant: 1, callTxn: 1, callRevoke: 1}, func() error {
		_, err := s.locker.Acquire(ctx, request)
		return err
	})
	expect("extend", map[string]int{callGrant: 1, callTxn: 1, callRevoke: 1}, func() error { return s.locker.Extend(ctx, h, time.Hour) })
	expect("register", one, func() error { return s.guard.Register(ctx, h.Grant()) })
	expect("register again", one, func() error { return s.guard.Register(ctx, h.Grant()) })
	expect("refused register", one, func() error {
		require.ErrorIs(t, s.guard.Register(ctx, driver.Grant{Resource: "job", Issuer: h.Issuer, Owner: "x", Token: 1}), driver.ErrStale)
		return nil
	})
	var claim driver.Grant
	for range 2 {
		expect("claim", one, func() (err error) {
			claim, err = s.guard.Claim(ctx, "claimed", h.Owner)
			return err
		})
	}
	expect("seen", map[string]int{callRange: 1}, func() error {
		_, err := s.guard.Seen(ctx, "job")
		return err
	})
	for name, g := range map[string]driver.Grant{"registered": h.Grant(), "claimed": claim} {
		for form, write := range map[string]writeFunc{"plain": s.write, "conditional": s.writeIf} {
			expect(name+" "+form, one, func() error { return write(ctx, g, "k", "x") })
			expect(name+" "+form+" once", one, func() error { return write(ctx, g, "k", "x", driver.OncePerRequest(name+"-"+form)) })
			expect(name+" "+form+" twice", one, func() error {
				require.ErrorIs(t, write(ctx, g, "k", "x", driver.OncePerRequest(name+"-"+form)), driver.ErrDuplicate)
				return nil
			})
		}
	}
	expect("lazy", one, func() error { return s.write(ctx, h.Grant(), "k", "x", driver.LazyWrite()) })
	expect("refused", one, func() error {
		stale := h.Grant()
		stale.Owner = "other-0123456789"
		require.ErrorIs(t, s.write(ctx, stale, "k", "x"), driver.ErrStale)
		return nil
	})
	expect("by the lock's key", one, func() error {
		_, err := s.locker.Txn(ctx, h.Grant()).Then(clientv3.OpPut(s.key("k"), "x")).Commit()
		return err
	})
	expect("release", map[string]int{callTxn: 1, callRevoke: 1}, func() error { return s.locker.Release(ctx, h) })
	expect("release again", one, func() error {
		require.ErrorIs(t, s.locker.Release(ctx, h), driver.ErrNotOwner)
		return nil
	})
}

// TestLostReplies loses the answer to each call of a lock service and a guard.
// The same call again settles it.
func TestLostReplies(t *testing.T) {
	t.Parallel()
	s := open(t)
	// lossy calls f on a store whose next answer to a request that holds text
	// is lost. A lost answer to a read would not be noticed: the client repeats it.
	lossy := func(text string, f func(ctx context.Context, l *store) error) {
		t.Helper()
		p, err := wire.Start(shared.get(t).Endpoints()[0], 0)
		require.NoError(t, err)
		defer p.Close()
		l := over(t, dial(t, p.Address()), s.prefix)
		lost := p.LoseReply(text)
		require.ErrorIs(t, f(t.Context(), l), driver.ErrUncertain)
		<-lost
	}
	ctx := t.Context()
	request := driver.Request{Name: "job", Owner: "owner-0123456789", TTL: time.Minute}
	lossy("lock/job", func(ctx context.Context, l *store) error {
		_, err := l.locker.Acquire(ctx, request)
		return err
	})
	h, err := s.locker.Acquire(ctx, request)
	require.NoError(t, err)
	issued, err := s.locker.Issued(ctx, "job")
	require.NoError(t, err)
	require.Equal(t, issued, h.Token, "the repetition took the lock a second time")
	lossy("lock/job", func(ctx context.Context, l *store) error { return l.locker.Extend(ctx, h, time.Hour) })
	require.NoError(t, s.locker.Extend(ctx, h, time.Hour))
	lossy("guard/job", func(ctx context.Context, l *store) error { return l.guard.Register(ctx, h.Grant()) })
	require.NoError(t, s.guard.Register(ctx, h.Grant()))
	lossy(h.Owner, func(ctx context.Context, l *store) error {
		_, err := l.guard.Claim(ctx, "claimed", h.Owner)
		return err
	})
	claim, err := s.guard.Claim(ctx, "claimed", h.Owner)
	require.NoError(t, err)
	require.EqualValues(t, 1, claim.Token, "the repetition claimed a second time")
	require.NoError(t, s.locker.Raise(ctx, "job", h.Token+1000))
	lossy("lock/job", func(ctx context.Context, l *store) error { return l.locker.Release(ctx, h) })
	require.ErrorIs(t, s.locker.Release(ctx, h), driver.ErrNotOwner, "it had been released")
	next, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: "next-0123456789", TTL: time.Minute})
	require.NoError(t, err)
	require.Greater(t, next.Token, h.Token+1000)
}

// TestPrune forgets requests by the revision at which they were applied.
func TestPrune(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t)
	g := grant("job", "owner-0123456789", 7)
	require.NoError(t, s.guard.Register(ctx, g))
	for i := range 250 { // more than one batch
		require.NoError(t, s.write(ctx, g, "k", "x", driver.OncePerRequest(fmt.Sprintf("old-%d", i))))
	}
	resp, err := s.client.Get(ctx, "revision")
	require.NoError(t, err)
	require.NoError(t, s.write(ctx, g, "k", "x", driver.OncePerRequest("new")))
	token, err := s.guard.Applied(ctx, "job", "old-3")
	require.NoError(t, err)
	require.Equal(t, g.Token, token)
	n, err := s.guard.Prune(ctx, resp.Header.Revision)
	require.NoError(t, err)
	require.EqualValues(t, 250, n)
	token, err = s.guard.Applied(ctx, "job", "old-3")
	require.NoError(t, err)
	require.Zero(t, token)
	require.ErrorIs(t, s.write(ctx, g, "k", "x", driver.OncePerRequest("new")), driver.ErrDuplicate)
	require.NoError(t, s.write(ctx, g, "k", "x", driver.OncePerRequest("old-3")))
}
