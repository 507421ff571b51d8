package integration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
	"github.com/fencelint/fencelint/fence/internal/integration/proxy"
	"github.com/fencelint/fencelint/fence/redisfence"
	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
)

// push adds to a list, so that what is applied twice is there twice.
var push = redisfence.NewScript(`return redis.call('RPUSH', KEYS[1], ARGV[1])`)

// A ledger is a list for each resource. It implements [proof.Ledger].
type ledger struct{ *store }

// Apply appends the entry of a request, at most once.
func (l ledger) Apply(ctx context.Context, g driver.Grant, request string) error {
	_, err := l.guard.Eval(ctx, g, push, []string{l.key(g.Resource)}, []any{request}, driver.OncePerRequest(request))
	return err
}

// Entries counts the entries of each request.
func (l ledger) Entries(ctx context.Context, resource string) (map[string]int, error) {
	list, err := l.client.LRange(ctx, l.key(resource), 0, -1).Result()
	n := map[string]int{}
	for _, request := range list {
		n[request]++
	}
	return n, err
}

func (l ledger) Register(ctx context.Context, g driver.Grant) error { return l.guard.Register(ctx, g) }

// TestKilledServer kills the server, as kill -9 does, while workers write, and
// starts it again on its append-only file. No token is issued twice.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	kills := proof.Count(t, "FENCE_KILLS", 4)
	server := servers.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	var total proof.Toll
	var issued driver.Token
	for i := range kills {
		toll, token := killOnce(t, server, i)
		require.Greater(t, token, issued, "a token was issued twice")
		issued = token
		total.Add(toll)
	}
	require.NotZero(t, total.Acknowledged)
	require.NotZero(t, total.Applied, "no write was applied whose reply was lost: the test shows nothing")
	t.Logf("%d kills: %v, 0 tokens issued twice", kills, total)
}

func killOnce(t *testing.T, server *servers.Server, i int) (proof.Toll, driver.Token) {
	t.Helper()
	ctx := t.Context()
	open := func() *store {
		s, err := openStore(newClient(t, server.Addr()), "kill", "")
		require.NoError(t, err)
		return s
	}
	p, err := proxy.Start(server.Addr(), 0)
	require.NoError(t, err)
	defer p.Close()
	client := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", p.Port()), ReadTimeout: 20 * time.Second})
	defer client.Close()
	writer, err := openStore(client, "kill", "")
	require.NoError(t, err)

	s := open()
	hold, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: owner(fmt.Sprint(i)), TTL: time.Hour})
	require.NoError(t, err)
	toll := proof.Breakdown{
		Name: fmt.Sprintf("kill-%d", i), Token: hold.Token, Writer: ledger{writer},
		Break: func(ended <-chan struct{}) {
			if i%2 == 0 { // when a write has been made and its answer has not arrived
				select {
				case <-p.LoseReply("evalsha"):
				case <-ended:
				}
			} else { // at any moment
				time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
			}
			server.Kill()
		},
		Mend: func() proof.Ledger {
			require.NoError(t, server.Restart(ctx))
			s = open()
			return ledger{s}
		},
	}.Run(t, ledger{s})

	// The hold has survived as well, under the issuer that made it.
	require.NoError(t, s.locker.Release(ctx, hold))
	again, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: owner("again"), TTL: time.Hour})
	require.NoError(t, err)
	require.Greater(t, again.Token, hold.Token)
	require.NotEqual(t, hold.Issuer, again.Issuer, "a server that was started anew is another issuer")
	require.NoError(t, s.locker.Release(ctx, again))
	return toll, again.Token
}
