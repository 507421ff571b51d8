package integration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/cluster"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/wire"
)

// apply makes the entry of a request, at most once. The key's version tells how
// often it was made.
func (s *store) apply(ctx context.Context, g driver.Grant, request string) error {
	_, err := s.guard.Txn(ctx, g, driver.OncePerRequest(request)).
		Then(clientv3.OpPut(s.prefix+"entry/"+g.Resource+"/"+request, "")).Commit()
	return err
}

// entries counts how often each request was applied.
func (s *store) entries(t *testing.T, resource string) map[string]int {
	t.Helper()
	prefix := s.prefix + "entry/" + resource + "/"
	resp, err := s.client.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	n := map[string]int{}
	for _, kv := range resp.Kvs {
		n[strings.TrimPrefix(string(kv.Key), prefix)] = int(kv.Version)
	}
	return n
}

// A toll counts what happened to requests around failures.
type toll struct{ acknowledged, uncertain, unavailable, applied int }

func (k *toll) add(o toll) {
	k.acknowledged += o.acknowledged
	k.uncertain += o.uncertain
	k.unavailable += o.unavailable
	k.applied += o.applied
}

func (k toll) String() string {
	return fmt.Sprintf("%d writes acknowledged, %d uncertain, of which %d had been applied, %d said to have no effect; 0 acknowledged lost, 0 applied twice, all uncertain ones settled",
		k.acknowledged, k.uncertain, k.applied, k.unavailable)
}

// fates sorts requests by what their writers were told.
type fates struct {
	mu                                   sync.Mutex
	acknowledged, uncertain, unavailable []string
}

func (f *fates) note(request string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err == nil:
		f.acknowledged = append(f.acknowledged, request)
	case errors.Is(err, driver.ErrUncertain):
		f.uncertain = append(f.uncertain, request)
	default:
		f.unavailable = append(f.unavailable, request)
	}
}

// during lets workers write until each has met an error, and breaks the
// cluster meanwhile. Then the next holder settles what is open.
func during(t *testing.T, writer, reader *store, round string, breakIt func(ended <-chan struct{}), mend func()) toll {
	t.Helper()
	ctx := t.Context()
	const workers = 4
	var all [workers]fates
	var wg sync.WaitGroup
	written := make(chan struct{}, 1)
	resource := func(w int) string { return fmt.Sprintf("%s-%d", round, w) }
	old := func(w int) driver.Grant { return grant(resource(w), "old-0123456789ab", 1) }
	for w := range workers {
		require.NoError(t, reader.guard.Register(ctx, old(w)))
		wg.Go(func() {
			for n := 0; ; n++ {
				request := fmt.Sprintf("r-%d", n)
				bounded, cancel := context.WithTimeout(ctx, 10*time.Second)
				err := writer.apply(bounded, old(w), request)
				cancel()
				all[w].note(request, err)
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
	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	select {
	case <-written:
	case <-ended:
	}
	breakIt(ended)
	<-ended
	mend()

	var sum toll
	for w := range workers {
		f, r := &all[w], resource(w)
		// The next holder registers: what was uncertain can come about no more.
		next := grant(r, "new-0123456789ab", 2)
		require.NoError(t, reader.guard.Register(ctx, next))
		before := reader.entries(t, r)
		for _, request := range f.acknowledged {
			require.Equal(t, 1, before[request], "acknowledged %s", request)
		}
		for _, request := range f.unavailable {
			require.Zero(t, before[request], "%s was said to have no effect", request)
		}
		for _, request := range f.uncertain {
			err := reader.apply(ctx, next, request)
			if before[request] > 0 {
				require.ErrorIs(t, err, driver.ErrDuplicate, "the next holder learns what had been applied")
				sum.applied++
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, 1, reader.entries(t, r)[request], "settled %s", request)
		}
		require.ErrorIs(t, reader.apply(ctx, old(w), "late"), driver.ErrStale)
		sum.add(toll{acknowledged: len(f.acknowledged), uncertain: len(f.uncertain), unavailable: len(f.unavailable)})
	}
	return sum
}

// TestKilledMember kills the one member of a cluster, as kill -9 does, while
// workers write, and starts it again on its data.
func TestKilledMember(t *testing.T) {
	t.Parallel()
	c := start(t, built(t), 1)
	prefix := unused()
	var sum toll
	kills := count(t, "FENCE_KILLS", 4)
	for i := range kills {
		p, err := wire.Start(c.Endpoints()[0], 0)
		require.NoError(t, err)
		writer := over(t, dial(t, p.Address()), prefix)
		reader := over(t, dial(t, c.Endpoints()...), prefix)
		sum.add(during(t, writer, reader, fmt.Sprintf("kill-%d", i), func(ended <-chan struct{}) {
			if i%2 == 0 { // when a write has been made and its answer has not arrived
				select {
				case <-p.LoseReply("entry/"):
				case <-ended: // each has met an error by itself: a machine that is too slow
				}
			} else { // at any moment
				time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
			}
			c.Members[0].Kill()
		}, func() {
			require.NoError(t, c.Members[0].Restart())
			require.NoError(t, c.Ready())
			awake(t, reader)
		}))
		p.Close()
		require.NoError(t, writer.client.Close())
		require.NoError(t, reader.client.Close())
	}
	require.NotZero(t, sum.acknowledged)
	require.NotZero(t, sum.uncertain)
	require.NotZero(t, sum.applied)
	t.Logf("%d kills: %v", kills, sum)
}

// TestFailover kills the leader of three members while workers write, and
// starts it again when another leads.
func TestFailover(t *testing.T) {
	t.Parallel()
	c := start(t, built(t), 3)
	prefix := unused()
	writer := over(t, dial(t, c.Endpoints()...), prefix)
	reader := over(t, dial(t, c.Endpoints()...), prefix)
	var sum toll
	failovers := count(t, "FENCE_FAILOVERS", 3)
	for i := range failovers {
		leader, err := c.Leader()
		require.NoError(t, err)
		held := lockBefore(t, reader, i)
		sum.add(during(t, writer, reader, fmt.Sprintf("failover-%d", i), func(<-chan struct{}) {
			time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
			leader.Kill()
			stopWriters(t, c, writer) // those that the kill has not met
		}, func() {
			require.NoError(t, leader.Restart())
			require.NoError(t, c.Ready())
			awake(t, reader)
		}))
		held(t)
	}
	require.NotZero(t, sum.acknowledged)
	t.Logf("%d failovers: %v; %d leases outlived them", failovers, sum, failovers)
}

// stopWriters takes their registration from the old holders of all rounds that
// still write, once another member leads.
func stopWriters(t *testing.T, c *cluster.Cluster, s *store) {
	t.Helper()
	_, err := c.Leader()
	require.NoError(t, err)
	awake(t, s)
	resp, err := s.client.Get(t.Context(), s.prefix+"guard/", clientv3.WithPrefix())
	require.NoError(t, err)
	for _, kv := range resp.Kvs {
		resource := strings.TrimPrefix(string(kv.Key), s.prefix+"guard/")
		if !strings.Contains(string(kv.Value), ":old-") {
			continue
		}
		next := grant(resource, "new-0123456789ab", 2)
		for s.guard.Register(t.Context(), next) != nil { // the same again is idempotent
			require.NoError(t, t.Context().Err())
		}
	}
}

// awake waits until a client has found a member that works.
func awake(t *testing.T, s *store) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		_, err := s.read(ctx, "awake")
		cancel()
		if err == nil {
			return
		}
		require.True(t, time.Now().Before(end), "%v", err)
	}
}

// lockBefore takes a lock that outlives a failover. Afterwards it is still
// held, its token has stayed, and the next one is greater.
func lockBefore(t *testing.T, s *store, i int) func(*testing.T) {
	t.Helper()
	name := fmt.Sprintf("lock-%d", i)
	r := driver.Request{Name: name, Owner: "before-0123456789", TTL: 10 * time.Minute}
	h, err := s.locker.Acquire(t.Context(), r)
	require.NoError(t, err)
	return func(t *testing.T) {
		t.Helper()
		again, err := s.locker.Acquire(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, h, again)
		next := driver.Request{Name: name, Owner: "after-0123456789", TTL: 10 * time.Minute}
		_, err = s.locker.Acquire(t.Context(), next)
		require.ErrorIs(t, err, driver.ErrNotAcquired)
		require.NoError(t, s.locker.Release(t.Context(), h))
		later, err := s.locker.Acquire(t.Context(), next)
		require.NoError(t, err)
		require.Greater(t, later.Token, h.Token)
	}
}
