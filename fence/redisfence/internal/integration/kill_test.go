package integration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proxy"
	"github.com/fencelint/fencelint/fence/redisfence"
	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
)

// push adds to a list, so that what is applied twice is there twice.
var push = redisfence.NewScript(`return redis.call('RPUSH', KEYS[1], ARGV[1])`)

// apply appends the entry of a request, at most once.
func apply(ctx context.Context, s *store, g driver.Grant, request string) error {
	_, err := s.guard.Eval(ctx, g, push, []string{s.key(g.Resource)}, []any{request}, driver.OncePerRequest(request))
	return err
}

// entries counts the entries of each request.
func entries(t *testing.T, s *store, resource string) map[string]int {
	t.Helper()
	list, err := s.client.LRange(t.Context(), s.key(resource), 0, -1).Result()
	require.NoError(t, err)
	n := map[string]int{}
	for _, request := range list {
		n[request]++
	}
	return n
}

// killed counts what happened to requests around kills.
type killed struct{ acknowledged, uncertain, unavailable, applied int }

// TestKilledServer kills the server, as kill -9 does, while workers write, and
// starts it again on its append-only file. What was acknowledged is there once;
// what was uncertain is settled by the next holder, once; what was said to have
// no effect had none; the old holders are refused; no token is issued twice.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	kills := count(t, "FENCE_KILLS", 4)
	server := servers.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	var total killed
	var issued driver.Token
	for i := range kills {
		k, token := killOnce(t, server, i)
		require.Greater(t, token, issued, "a token was issued twice")
		issued = token
		total.acknowledged += k.acknowledged
		total.uncertain += k.uncertain
		total.unavailable += k.unavailable
		total.applied += k.applied
	}
	require.NotZero(t, total.acknowledged)
	require.NotZero(t, total.applied, "no write was applied whose reply was lost: the test shows nothing")
	t.Logf("%d kills: %d writes acknowledged, %d uncertain, of which %d had been applied; %d said to have no effect; 0 acknowledged lost, 0 applied twice, 0 tokens issued twice",
		kills, total.acknowledged, total.uncertain, total.applied, total.unavailable)
}

func killOnce(t *testing.T, server *servers.Server, i int) (killed, driver.Token) {
	t.Helper()
	ctx := t.Context()
	const workers = 4
	s, err := openStore(newClient(t, server.Addr()), "kill", "")
	require.NoError(t, err)
	p, err := proxy.Start(server.Addr(), 0)
	require.NoError(t, err)
	defer p.Close()
	client := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", p.Port()), ReadTimeout: 20 * time.Second})
	defer client.Close()
	writer, err := openStore(client, "kill", "")
	require.NoError(t, err)

	hold, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: owner(fmt.Sprint(i)), TTL: time.Hour})
	require.NoError(t, err)
	resource := func(w int) string { return fmt.Sprintf("kill-%d-%d", i, w) }
	old := func(w int) driver.Grant { return grant(resource(w), "old", hold.Token) }
	var mu sync.Mutex
	acknowledged, uncertain, unavailable := map[string]int{}, map[string]int{}, map[string]int{} // request to worker
	written := make(chan struct{}, 1)
	var wg sync.WaitGroup
	for w := range workers {
		require.NoError(t, s.guard.Register(ctx, old(w)))
		wg.Go(func() {
			for n := 0; ; n++ {
				request := fmt.Sprintf("%s-%d", resource(w), n)
				err := apply(ctx, writer, old(w), request)
				mu.Lock()
				switch {
				case err == nil:
					acknowledged[request] = w
				case errors.Is(err, driver.ErrUncertain):
					uncertain[request] = w
				case errors.Is(err, driver.ErrUnavailable):
					unavailable[request] = w
				default:
					t.Errorf("%s: %v", request, err)
				}
				mu.Unlock()
				if err != nil {
					return
				}
				select {
				case written <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 10 {
		<-written
	}
	if i%2 == 0 { // when a write has been made and its answer has not arrived
		<-p.LoseReply("evalsha")
	} else { // at any moment
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
	}
	server.Kill()
	wg.Wait()
	require.NoError(t, server.Restart(ctx))

	s, err = openStore(newClient(t, server.Addr()), "kill", "")
	require.NoError(t, err)
	result := killed{acknowledged: len(acknowledged), uncertain: len(uncertain), unavailable: len(unavailable)}
	for w := range workers {
		before := entries(t, s, resource(w))
		for request, of := range acknowledged {
			if of == w {
				require.Equal(t, 1, before[request], "acknowledged %s", request)
			}
		}
		for request, of := range unavailable {
			if of == w {
				require.Zero(t, before[request], "%s was said to have no effect", request)
			}
		}
		next := grant(resource(w), "new", hold.Token+1)
		require.NoError(t, s.guard.Register(ctx, next))
		for request, of := range uncertain {
			if of != w {
				continue
			}
			err := apply(ctx, s, next, request)
			if errors.Is(err, driver.ErrDuplicate) {
				require.Equal(t, 1, before[request], "%s is a duplicate of nothing", request)
				result.applied++
			} else {
				require.NoError(t, err)
				require.Zero(t, before[request], "%s had been applied", request)
			}
			require.Equal(t, 1, entries(t, s, resource(w))[request], "settled %s", request)
		}
		require.ErrorIs(t, apply(ctx, s, old(w), resource(w)+"-late"), driver.ErrStale)
	}
	// The hold has survived as well, under the issuer that made it.
	require.NoError(t, s.locker.Release(ctx, hold))
	again, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: owner("again"), TTL: time.Hour})
	require.NoError(t, err)
	require.Greater(t, again.Token, hold.Token)
	require.NotEqual(t, hold.Issuer, again.Issuer, "a server that was started anew is another issuer")
	require.NoError(t, s.locker.Release(ctx, again))
	return result, again.Token
}
