package integration

import (
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
	"github.com/fencelint/fencelint/fence/redisfence"
	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
)

// TestCluster runs the suites on a cluster, every harness with a tag, and thus
// a slot, of its own, and then lets nodes fail.
func TestCluster(t *testing.T) {
	t.Parallel()
	cluster := servers.StartCluster(t)
	client := cluster.Client(t)
	newStore := func(tb testing.TB) *store {
		prefix := newPrefix()
		s, err := openStore(client, prefix, "tag-"+prefix)
		require.NoError(tb, err)
		return s
	}
	t.Run("locker", func(t *testing.T) {
		fencetest.TestLocker(t, func(tb testing.TB) *fencetest.LockHarness { return newStore(tb).lockHarness() })
	})
	t.Run("guard", func(t *testing.T) {
		fencetest.TestGuard(t, func(tb testing.TB) *fencetest.GuardHarness { return newStore(tb).guardHarness() })
	})
	t.Run("slots", func(t *testing.T) {
		// By default lock and counter have the name as their tag, and the guard the
		// resource: every name works, whatever its slot.
		locker, err := redisfence.NewLocker(t.Context(), client)
		require.NoError(t, err)
		guard, err := redisfence.NewGuard(t.Context(), client)
		require.NoError(t, err)
		on := map[int]bool{}
		for i := range 12 {
			name := fmt.Sprintf("account-%d", i)
			h, err := locker.Acquire(t.Context(), driver.Request{Name: name, Owner: owner("a"), TTL: time.Minute})
			require.NoError(t, err)
			require.EqualValues(t, 1, h.Token, "each name has a counter of its own")
			require.NoError(t, guard.Register(t.Context(), h.Grant()))
			_, err = guard.Eval(t.Context(), h.Grant(), set, []string{"balance:{" + name + "}"}, []any{"1"})
			require.NoError(t, err)
			_, err = guard.Eval(t.Context(), h.Grant(), set, []string{"balance:{elsewhere-" + name + "}"}, []any{"1"})
			require.ErrorIs(t, err, redisfence.ErrSlot)
			require.NotErrorIs(t, err, driver.ErrUncertain)
			require.NoError(t, locker.Release(t.Context(), h))
			on[cluster.Of(t, name)] = true
		}
		require.Len(t, on, 3, "the names are on all primaries")
	})
	t.Run("failover", func(t *testing.T) {
		for i := range min(2, max(1, proof.Count(t, "FENCE_FAILOVERS", 8)/10)) {
			clusterFailover(t, cluster, client, i)
		}
	})
}

// clusterFailover kills the primary of a lock. The data is on another server.
func clusterFailover(t *testing.T, cluster *servers.Cluster, client *redis.ClusterClient, i int) {
	ctx := t.Context()
	data := newStore(t, newClient(t, sharedServer(t).Addr()))
	f := &failover{data: data, prefix: newPrefix()}
	for n := 0; f.name == ""; n++ {
		if name := fmt.Sprintf("job-%d-%d", i, n); cluster.Of(t, name) == i {
			f.name = name
		}
	}
	locker, err := redisfence.NewLocker(ctx, client, redisfence.WithPrefix(f.prefix))
	require.NoError(t, err)
	locks := func(opt fence.Option) *fence.Client {
		return fence.New(locker, fence.WithTTL(time.Minute), fence.WithoutKeepAlive(), opt)
	}
	a, err := locks(nil).Acquire(ctx, f.name, fence.Registering(data.guard))
	require.NoError(t, err)
	require.NoError(t, f.add(ctx, data.guard, a, "old"))

	cluster.Nodes[i].Kill()
	var b *fence.Lease
	require.Eventually(t, func() bool {
		_ = client.Del(ctx, f.prefix+":lock:{"+f.name+"}:"+f.name).Err()
		b, err = locks(fence.WithAdopt()).TryAcquire(ctx, f.name, fence.Registering(data.guard))
		return err == nil
	}, 2*time.Minute, 100*time.Millisecond, "no lock after the failover")
	require.NoError(t, f.add(ctx, data.guard, b, "new"))
	require.ErrorIs(t, f.add(ctx, data.guard, a, "stale"), fence.ErrIssuer)
	require.NoError(t, b.Release(ctx))
	f.judge(t)
}
