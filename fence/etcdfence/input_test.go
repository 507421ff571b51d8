package etcdfence

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/fencelint/fencelint/fence/driver"
)

func offline(t *testing.T) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	client := offline(t)
	for name, tt := range map[string]struct {
		client *clientv3.Client
		opts   []Option
		bad    bool
	}{
		"no client":       {nil, nil, true},
		"empty prefix":    {client, []Option{WithPrefix("")}, true},
		"slash as prefix": {client, []Option{WithPrefix("/")}, true},
		"empty locks":     {client, []Option{WithLocks("/")}, true},
		"nil option":      {client, []Option{nil}, false},
		"both":            {client, []Option{WithPrefix("a"), WithLocks("b-")}, false},
	} {
		_, lockErr := NewLocker(tt.client, tt.opts...)
		_, guardErr := NewGuard(tt.client, tt.opts...)
		for _, err := range []error{lockErr, guardErr} {
			if errors.Is(err, driver.ErrInvalid) != tt.bad || (err != nil) != tt.bad {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestBadInput: nothing is sent, or the call would wait for a server.
func TestBadInput(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client := offline(t)
	l, _ := NewLocker(client)
	g, _ := NewGuard(client)
	long := strings.Repeat("n", driver.MaxName+1)
	hold := driver.Hold{Name: "job", Issuer: "i", Owner: "o", Token: 1}
	grant := hold.Grant()
	acquire := func(r driver.Request) error { _, err := l.Acquire(ctx, r); return err }
	commit := func(t clientv3.Txn) error { _, err := t.Commit(); return err }
	of := func(c *clientv3.Client, m *concurrency.Mutex, resource string) error {
		_, err := OfMutex(ctx, c, m, resource)
		return err
	}
	for what, err := range map[string]error{
		"acquire, empty name":       acquire(driver.Request{Owner: "o", TTL: time.Second}),
		"acquire, long name":        acquire(driver.Request{Name: long, Owner: "o", TTL: time.Second}),
		"acquire, no owner":         acquire(driver.Request{Name: "n", TTL: time.Second}),
		"acquire, zero ttl":         acquire(driver.Request{Name: "n", Owner: "o"}),
		"extend, zero ttl":          l.Extend(ctx, hold, 0),
		"extend, no hold":           l.Extend(ctx, driver.Hold{}, time.Second),
		"release, no hold":          l.Release(ctx, driver.Hold{}),
		"release, no token":         l.Release(ctx, driver.Hold{Name: "n", Owner: "o"}),
		"wait, empty name":          l.Wait(ctx, ""),
		"raise, zero":               l.Raise(ctx, "n", 0),
		"raise, long name":          l.Raise(ctx, long, 1),
		"lock txn, zero grant":      commit(l.Txn(ctx, driver.Grant{})),
		"register, zero grant":      g.Register(ctx, driver.Grant{}),
		"txn, zero grant":           commit(g.Txn(ctx, driver.Grant{})),
		"txn, long resource":        commit(g.Txn(ctx, driver.Grant{Resource: long, Issuer: "i", Owner: "o", Token: 1})),
		"txn, empty request":        commit(g.Txn(ctx, grant, driver.OncePerRequest(""))),
		"adopt, zero grant":         g.Adopt(ctx, driver.Grant{}, grant),
		"adopt, lower token":        g.Adopt(ctx, grant, driver.Grant{Resource: "job", Issuer: "j", Owner: "o", Token: 1}),
		"mutex, nil":                of(client, nil, "n"),
		"mutex, no client":          of(nil, new(concurrency.Mutex), "n"),
		"mutex, resource with room": of(client, new(concurrency.Mutex), "a b"),
	} {
		if !errors.Is(err, driver.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, err := range map[string]error{
		"mutex": of(client, new(concurrency.Mutex), "n"),
		"election": func() error {
			_, err := OfElection(ctx, client, new(concurrency.Election), "n")
			return err
		}(),
	} {
		if !errors.Is(err, driver.ErrNotOwner) {
			t.Errorf("%s that holds nothing: %v", what, err)
		}
	}
	store := grant
	store.Issuer = driver.StoreIssuer
	for what, err := range map[string]error{
		"register": g.Register(ctx, store),
		"lazy":     commit(g.Txn(ctx, store, driver.LazyWrite())),
	} {
		if !errors.Is(err, driver.ErrIssuer) {
			t.Errorf("%s as the store: %v", what, err)
		}
	}
	if _, err := g.Prune(ctx, 0); !errors.Is(err, driver.ErrInvalid) {
		t.Errorf("prune through revision 0: %v", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text         string
		sent, unsent error // nil: no name
	}{
		{"etcdserver: request timed out", driver.ErrUncertain, driver.ErrUnavailable},
		{"etcdserver: request timed out, possibly due to previous leader failure", driver.ErrUncertain, driver.ErrUnavailable},
		{"etcdserver: leader changed", driver.ErrUncertain, driver.ErrUnavailable},
		{"etcdserver: server stopped", driver.ErrUncertain, driver.ErrUnavailable},
		{"rpc error: code = Unavailable desc = error reading from server: EOF", driver.ErrUncertain, driver.ErrUnavailable},
		{"rpc error: code = Unavailable desc = etcdserver: too many requests", driver.ErrBusy, driver.ErrBusy},
		{"etcdserver: no leader", driver.ErrUnavailable, driver.ErrUnavailable},
		{"etcdserver: mvcc: database space exceeded", driver.ErrUnavailable, driver.ErrUnavailable},
		{"etcdserver: permission denied", driver.ErrUnavailable, driver.ErrUnavailable},
		{`rpc error: code = Unavailable desc = last connection error: connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: connection refused"`, driver.ErrUnavailable, driver.ErrUnavailable},
		{"etcdserver: duplicate key given in txn request", nil, nil},
		{"trying to send message larger than max (3 vs. 2)", nil, nil},
	} {
		for name, pair := range map[string][2]error{
			"sent":   {sent(t.Context(), errors.New(tt.text)), tt.sent},
			"unsent": {unsent(t.Context(), errors.New(tt.text)), tt.unsent},
		} {
			for _, e := range []error{driver.ErrUncertain, driver.ErrUnavailable, driver.ErrBusy} {
				if errors.Is(pair[0], e) != (pair[1] == e) {
					t.Errorf("%s %q: %v", name, tt.text, pair[0])
				}
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sent(ended, errors.New("x")); !errors.Is(err, driver.ErrUncertain) || !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	if fmt.Sprint(sent(t.Context(), nil), unsent(t.Context(), nil)) != "<nil> <nil>" {
		t.Error("no error is one")
	}
}
