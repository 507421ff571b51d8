package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/redisfence"
	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
)

// TestMain ends the server that the tests share, or is the child that a test
// has started.
func TestMain(m *testing.M) {
	if os.Getenv("FENCETEST_CHILD") != "" {
		fencetest.Main(m, roles) // see child_test.go
	}
	logging.Disable() // servers are killed on purpose
	code := m.Run()
	if s := shared.server; s != nil {
		s.Stop()
	}
	os.Exit(code)
}

// shared is a server that is started by the first test that needs it.
var shared struct {
	once   sync.Once
	server *servers.Server
	err    error
}

func sharedServer(tb testing.TB) *servers.Server {
	tb.Helper()
	shared.once.Do(func() { shared.server, shared.err = servers.StartShared() })
	servers.Require(tb, shared.err)
	return shared.server
}

var prefixes atomic.Int64

// newPrefix keeps the keys of tests on one server apart.
func newPrefix() string { return fmt.Sprintf("p%d", prefixes.Add(1)) }

// newClient makes a client that is closed with the test.
func newClient(tb testing.TB, addr string) *redis.Client {
	c := open(addr)
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

func open(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr:                     addr,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

// A store is a lock service, a guard and data on one Redis. Its keys carry the
// tag of their resource only in a cluster, where they must.
type store struct {
	client redis.UniversalClient
	locker *redisfence.Locker
	guard  *redisfence.Guard
	prefix string
	tag    string // all resources and keys have it, if not empty
}

// newStore makes a store with keys of its own.
func newStore(tb testing.TB, client redis.UniversalClient, opts ...redisfence.Option) *store {
	tb.Helper()
	s, err := openStore(client, newPrefix(), "", opts...)
	require.NoError(tb, err)
	return s
}

// openStore makes the store of a prefix; opts are for the locker.
func openStore(client redis.UniversalClient, prefix, tag string, opts ...redisfence.Option) (*store, error) {
	ctx := context.Background()
	s := &store{client: client, prefix: prefix, tag: tag}
	both := []redisfence.Option{redisfence.WithPrefix(prefix)}
	if tag != "" {
		both = append(both, redisfence.WithTag(func(string) string { return tag }))
	}
	var err error
	if s.locker, err = redisfence.NewLocker(ctx, client, append(both, opts...)...); err != nil {
		return nil, err
	}
	s.guard, err = redisfence.NewGuard(ctx, client, both...)
	return s, err
}

// key is where data is.
func (s *store) key(key string) string {
	if s.tag != "" {
		return s.prefix + ":{" + s.tag + "}:" + key
	}
	return s.prefix + ":" + key
}

// guardKey and the like are written out, so that a change of the layout, after
// which old guards and counters would be forgotten, does not pass unnoticed.
func (s *store) guardKey(resource string) string {
	tag := resource
	if s.tag != "" {
		tag = s.tag
	}
	return s.prefix + ":guard:{" + tag + "}:" + resource
}

func (s *store) lockKey(name string) string { return s.prefix + ":lock:{" + s.lockTag() + "}:" + name }
func (s *store) counterKey() string         { return s.prefix + ":token:{" + s.lockTag() + "}" }

func (s *store) lockTag() string {
	if s.tag != "" {
		return s.tag
	}
	return "locks"
}

// set is a script that users would write.
var set = redisfence.NewScript(`return redis.call('SET', KEYS[1], ARGV[1])`)

func (s *store) write(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
	_, err := s.guard.Eval(ctx, g, set, []string{s.key(key)}, []any{value}, opts...)
	return err
}

func (s *store) put(ctx context.Context, key, value string) error {
	return s.client.Set(ctx, s.key(key), value, 0).Err()
}

func (s *store) read(ctx context.Context, key string) (string, error) {
	v, err := s.client.Get(ctx, s.key(key)).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	return v, err
}

// record sets the guard's record behind its back; with a resource alone it
// removes the record.
func (s *store) record(ctx context.Context, g driver.Grant) error {
	key := s.guardKey(g.Resource)
	if g.Issuer == "" {
		return s.client.Del(ctx, key).Err()
	}
	return s.client.Set(ctx, key, g.Token.String()+"/"+g.Owner+"/"+g.Issuer, 0).Err()
}

// expire ends the lease of a lock.
func (s *store) expire(ctx context.Context, name string) error {
	return s.client.PExpire(ctx, s.lockKey(name), 0).Err()
}

// lose sets the counter back to last and ends the hold of name.
func (s *store) lose(ctx context.Context, name string, last driver.Token) error {
	if err := s.expire(ctx, name); err != nil {
		return err
	}
	return s.client.Set(ctx, s.counterKey(), int64(last), 0).Err()
}

func (s *store) lockHarness() *fencetest.LockHarness {
	return &fencetest.LockHarness{
		Locker: s.locker,
		Expire: s.expire,
		Lose:   s.lose,
		ReleaseAround: func(ctx context.Context, h driver.Hold, between func()) error {
			between()
			return s.locker.Release(ctx, h)
		},
	}
}

func (s *store) guardHarness() *fencetest.GuardHarness {
	return &fencetest.GuardHarness{
		Guard:    s.guard,
		Write:    s.write,
		Read:     s.read,
		Record:   s.record,
		Features: fencetest.Features{Lazy: true, Once: true, Adopter: true},
		WriteAround: func(ctx context.Context, g driver.Grant, key, value string, between func()) error {
			between()
			return s.write(ctx, g, key, value)
		},
	}
}

func owner(letter string) string { return "owner-" + letter + "-0123456789abcdef" }

func grant(resource, letter string, token driver.Token) driver.Grant {
	return driver.Grant{Resource: resource, Issuer: "alpha", Owner: owner(letter), Token: token}
}
