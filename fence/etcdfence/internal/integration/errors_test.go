package integration

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence"
)

// calls are all calls of a store, by whether they may change something.
func calls(s *store, h driver.Hold) (changing, reading map[string]func(context.Context) error) {
	g := h.Grant()
	return map[string]func(context.Context) error{
			"extend":   func(ctx context.Context) error { return s.locker.Extend(ctx, h, time.Minute) },
			"release":  func(ctx context.Context) error { return s.locker.Release(ctx, h) },
			"raise":    func(ctx context.Context) error { return s.locker.Raise(ctx, h.Name, 1<<40) },
			"register": func(ctx context.Context) error { return s.guard.Register(ctx, g) },
			"claim": func(ctx context.Context) error {
				_, err := s.guard.Claim(ctx, "claimed", h.Owner)
				return err
			},
			"adopt": func(ctx context.Context) error {
				return s.guard.Adopt(ctx, g, driver.Grant{Resource: g.Resource, Issuer: "beta", Owner: "x", Token: g.Token + 1})
			},
			"txn": func(ctx context.Context) error { return s.write(ctx, g, "k", "x") },
			"lock txn": func(ctx context.Context) error {
				return commit(s.locker.Txn(ctx, g).Then(clientv3.OpPut(s.key("k"), "x")))
			},
			"acquire": func(ctx context.Context) error {
				_, err := s.locker.Acquire(ctx, driver.Request{Name: "n2", Owner: h.Owner, TTL: time.Minute})
				return err
			},
		}, map[string]func(context.Context) error{
			"seen": func(ctx context.Context) error {
				_, err := s.guard.Seen(ctx, "job")
				return err
			},
			"issued": func(ctx context.Context) error {
				_, err := s.locker.Issued(ctx, "job")
				return err
			},
			"applied": func(ctx context.Context) error {
				_, err := s.guard.Applied(ctx, "job", "q")
				return err
			},
			"wait": func(ctx context.Context) error { return s.locker.Wait(ctx, "job") },
		}
}

func commit(t clientv3.Txn) error {
	_, err := t.Commit()
	return err
}

// held takes the lock "job" and registers it.
func held(t *testing.T, s *store) driver.Hold {
	t.Helper()
	h, err := s.locker.Acquire(t.Context(), driver.Request{Name: "job", Owner: "owner-0123456789", TTL: time.Hour})
	require.NoError(t, err)
	require.NoError(t, s.guard.Register(t.Context(), h.Grant()))
	return h
}

// TestNoAnswer: nobody listens, or the request is sent and no answer comes,
// before the context ends. etcd's client waits in both cases and does not tell
// them apart. A change is uncertain then, and what begins with something that
// is no change certainly has no effect. No owner is in the text.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	c := start(t, built(t), 1)
	silent := over(t, dial(t, c.Endpoints()...), "fence/")
	h := held(t, silent)
	require.NoError(t, c.Members[0].Pause())
	t.Cleanup(func() { _ = c.Members[0].Resume() })
	for name, s := range map[string]*store{
		"silent": silent,
		// The port is none that the kernel gives away, or a connection that is
		// tried often enough would be one to itself.
		"gone": over(t, dial(t, "127.0.0.1:1"), "fence/"),
	} {
		changing, reading := calls(s, h)
		for _, call := range []string{"acquire", "extend", "raise"} { // first a lease, or a look
			reading[call] = changing[call]
			delete(changing, call)
		}
		for want, all := range map[error]map[string]func(context.Context) error{driver.ErrUncertain: changing, driver.ErrUnavailable: reading} {
			for call, f := range all {
				t.Run(name+"/"+call, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
					defer cancel()
					err := f(ctx)
					require.ErrorIs(t, err, want)
					require.ErrorIs(t, err, context.DeadlineExceeded)
					require.Equal(t, want == driver.ErrUncertain, errors.Is(err, driver.ErrUncertain))
					require.NotContains(t, err.Error(), h.Owner)
				})
			}
		}
	}
}

// TestNoQuorum: one of three members is left. It takes the request and cannot
// decide it.
func TestNoQuorum(t *testing.T) {
	t.Parallel()
	c := start(t, built(t), 3)
	s := over(t, dial(t, c.Endpoints()[0]), "fence/")
	h := held(t, s)
	c.Members[1].Kill()
	c.Members[2].Kill()
	err := s.write(t.Context(), h.Grant(), "k", "x")
	require.Error(t, err)
	if !strings.Contains(err.Error(), "no leader") {
		require.ErrorIs(t, err, driver.ErrUncertain)
	}
	require.NoError(t, c.Members[1].Restart())
	require.NoError(t, c.Ready())
	awake(t, s)
	// A holder may send again what is idempotent.
	require.Eventually(t, func() bool { return s.write(t.Context(), h.Grant(), "k", "y") == nil }, time.Minute, time.Millisecond)
}

// TestFaultyOperations: etcd refuses what the caller asks for. Nothing is done,
// and the error is no word of package driver.
func TestFaultyOperations(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t)
	h := held(t, s)
	require.NoError(t, s.put(ctx, "k", "kept"))
	many := make([]clientv3.Op, 0, 200)
	for i := range 200 {
		many = append(many, clientv3.OpPut(s.key("k")+string(rune('a'+i)), "x"))
	}
	for name, ops := range map[string][]clientv3.Op{
		"the same key twice": {clientv3.OpPut(s.key("k"), "a"), clientv3.OpPut(s.key("k"), "b")},
		"no key":             {clientv3.OpPut(s.key("k"), "a"), clientv3.OpPut("", "b")},
		"ended lease":        {clientv3.OpPut(s.key("k"), "a", clientv3.WithLease(12345))},
		"too many":           append(many, clientv3.OpPut(s.key("k"), "a")),
		"too large":          {clientv3.OpPut(s.key("k"), strings.Repeat("x", 1_800_000))},
	} {
		t.Run(name, func(t *testing.T) {
			for _, begin := range []clientv3.Txn{s.guard.Txn(ctx, h.Grant()), s.locker.Txn(ctx, h.Grant()), s.guard.Txn(ctx, h.Grant(), driver.LazyWrite())} {
				err := commit(begin.Then(ops...))
				require.Error(t, err)
				for _, e := range []error{driver.ErrUncertain, driver.ErrStale, driver.ErrBusy, driver.ErrUnavailable, driver.ErrIssuer} {
					require.NotErrorIs(t, err, e)
				}
				value, err := s.read(ctx, "k")
				require.NoError(t, err)
				require.Equal(t, "kept", value)
			}
		})
	}
}

// TestFullStore: the space alarm refuses writes, with certainty.
func TestFullStore(t *testing.T) {
	t.Parallel()
	b := built(t)
	b.Flags = append(b.Flags, "--quota-backend-bytes", "1000000")
	c := start(t, b, 1)
	s := over(t, dial(t, c.Endpoints()...), "fence/")
	h := held(t, s)
	var err error
	for range 100 {
		if err = s.write(t.Context(), h.Grant(), "k", strings.Repeat("x", 100_000)); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, driver.ErrUnavailable)
	require.ErrorIs(t, s.guard.Register(t.Context(), h.Grant()), driver.ErrUnavailable)
	_, err = s.locker.Acquire(t.Context(), driver.Request{Name: "n2", Owner: h.Owner, TTL: time.Minute})
	require.ErrorIs(t, err, driver.ErrUnavailable)
}

// TestForbidden: a user without permission.
func TestForbidden(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, built(t), 1)
	root := dial(t, c.Endpoints()...)
	for _, f := range []func() error{
		func() error { _, err := root.UserAdd(ctx, "root", "secret"); return err },
		func() error { _, err := root.RoleAdd(ctx, "root"); return err },
		func() error { _, err := root.UserGrantRole(ctx, "root", "root"); return err },
		func() error { _, err := root.UserAdd(ctx, "reader", "secret"); return err },
		func() error { _, err := root.AuthEnable(ctx); return err },
	} {
		require.NoError(t, f())
	}
	reader, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints(), Username: "reader", Password: "secret"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = reader.Close() })
	s := over(t, reader, "fence/")
	h := driver.Hold{Name: "job", Issuer: "alpha", Owner: "owner-0123456789", Token: 1}
	changing, reading := calls(s, h)
	for _, all := range []map[string]func(context.Context) error{changing, reading} {
		for name, call := range all {
			t.Run(name, func(t *testing.T) {
				err := call(ctx)
				require.ErrorIs(t, err, driver.ErrUnavailable)
				require.NotErrorIs(t, err, driver.ErrUncertain)
			})
		}
	}
}

// TestUnknownRecords: what somebody else has put below the prefix is not
// overwritten and admits nobody.
func TestUnknownRecords(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, text := range []string{"", "x", "alpha", "alpha:1:a", "alpha:0000000000000000001:", "alpha:0000000000000000000:a", "alpha:9999999999999999999:a", ":0000000000000000001:a", "store:", "store", "store:a b"} {
		s := open(t)
		_, err := s.client.Put(ctx, s.prefix+"guard/job", text)
		require.NoError(t, err)
		g := grant("job", "owner-0123456789", 1)
		_, err = s.guard.Seen(ctx, "job")
		require.ErrorIs(t, err, etcdfence.ErrRecord, "%q", text)
		require.ErrorIs(t, s.write(ctx, g, "k", "x"), driver.ErrUnavailable, "%q", text)
		require.Error(t, s.guard.Adopt(ctx, g, driver.Grant{Resource: "job", Issuer: "beta", Owner: "b", Token: 2}), "%q", text)
	}
	s := open(t)
	_, err := s.client.Put(ctx, s.prefix+"base/job", "many")
	require.NoError(t, err)
	_, err = s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: "a", TTL: time.Minute})
	require.ErrorIs(t, err, etcdfence.ErrRecord)
	require.ErrorIs(t, s.locker.Raise(ctx, "job", 5), etcdfence.ErrRecord)
}
