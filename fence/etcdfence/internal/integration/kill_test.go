package integration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/cluster"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/wire"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
)

// A ledger has a key for each request, whose version tells how often it was
// made. It implements [proof.Ledger].
type ledger struct{ *store }

func (l ledger) entryKey(resource string) string { return l.prefix + "entry/" + resource + "/" }

// Apply makes the entry of a request, at most once.
func (l ledger) Apply(ctx context.Context, g driver.Grant, request string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err := l.guard.Txn(ctx, g, driver.OncePerRequest(request)).
		Then(clientv3.OpPut(l.entryKey(g.Resource)+request, "")).Commit()
	return err
}

// Entries counts how often each request was applied.
func (l ledger) Entries(ctx context.Context, resource string) (map[string]int, error) {
	resp, err := l.client.Get(ctx, l.entryKey(resource), clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	n := map[string]int{}
	for _, kv := range resp.Kvs {
		n[strings.TrimPrefix(string(kv.Key), l.entryKey(resource))] = int(kv.Version)
	}
	return n, nil
}

func (l ledger) Register(ctx context.Context, g driver.Grant) error { return l.guard.Register(ctx, g) }

// TestKilledMember kills the one member of a cluster, as kill -9 does, while
// workers write, and starts it again on its data.
func TestKilledMember(t *testing.T) {
	t.Parallel()
	c := start(t, built(t), 1)
	prefix := unused()
	var sum proof.Toll
	kills := proof.Count(t, "FENCE_KILLS", 4)
	for i := range kills {
		p, err := wire.Start(c.Endpoints()[0], 0)
		require.NoError(t, err)
		writer := over(t, dial(t, p.Address()), prefix)
		reader := over(t, dial(t, c.Endpoints()...), prefix)
		sum.Add(proof.Breakdown{
			Name: fmt.Sprintf("kill-%d", i), Token: 1, Writer: ledger{writer},
			Break: func(ended <-chan struct{}) {
				if i%2 == 0 { // when a write has been made and its answer has not arrived
					select {
					case <-p.LoseReply("entry/"):
					case <-ended: // each has met an error by itself: a machine that is too slow
					}
				} else { // at any moment
					time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
				}
				c.Members[0].Kill()
			},
			Mend: func() proof.Ledger {
				require.NoError(t, c.Members[0].Restart())
				require.NoError(t, c.Ready())
				awake(t, reader)
				return ledger{reader}
			},
		}.Run(t, ledger{reader}))
		p.Close()
		require.NoError(t, writer.client.Close())
		require.NoError(t, reader.client.Close())
	}
	require.NotZero(t, sum.Acknowledged)
	require.NotZero(t, sum.Uncertain)
	require.NotZero(t, sum.Applied)
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
	var sum proof.Toll
	failovers := proof.Count(t, "FENCE_FAILOVERS", 3)
	for i := range failovers {
		leader, err := c.Leader()
		require.NoError(t, err)
		held := lockBefore(t, reader, i)
		sum.Add(proof.Breakdown{
			Name: fmt.Sprintf("failover-%d", i), Token: 1, Writer: ledger{writer},
			Break: func(<-chan struct{}) {
				time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
				leader.Kill()
				stopWriters(t, c, writer) // those that the kill has not met
			},
			Allow: func(err error) bool { return errors.Is(err, driver.ErrStale) }, // they are stopped by it
			Mend: func() proof.Ledger {
				require.NoError(t, leader.Restart())
				require.NoError(t, c.Ready())
				awake(t, reader)
				return ledger{reader}
			},
		}.Run(t, ledger{reader}))
		held(t)
	}
	require.NotZero(t, sum.Acknowledged)
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
