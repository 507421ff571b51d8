package integration

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
	"github.com/fencelint/fencelint/fence/redisfence"
	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
)

// TestFailover promotes a replica that has missed the last tokens, so that it
// issues them again. Guard and data are on a server of their own. Each failover
// is one of these:
//
//   - seen/named: the guard has seen a token that the new primary has not
//     issued, and the issuer has a name: ErrRegressed; HealForward repairs it.
//   - seen/server: the same, and the issuer is the server itself: ErrIssuer;
//     WithAdopt hands the guard over.
//   - unseen/same: the old holder comes to the guard after the new one, with
//     the same number: refused.
//   - unseen/higher: it comes with a higher number and pre-empts the new one,
//     whose later write is refused. Serial, and nothing is lost.
//
// In every other four the old primary is not killed but parted: it goes on
// serving the old holder, who can even prolong its lease there.
//
// Every acknowledged entry is in the list at the end.
func TestFailover(t *testing.T) {
	t.Parallel()
	n := proof.Count(t, "FENCE_FAILOVERS", 8)
	data := newClient(t, servers.Start(t).Addr())
	seen := map[string]int{}
	for i := range n {
		f := newFailover(t, data, i)
		f.parted = i/4%2 == 1
		kind := []string{"seen/named", "seen/server", "unseen/same", "unseen/higher"}[i%4]
		seen[kind]++
		t.Run(fmt.Sprintf("%03d/%s", i, kind), func(t *testing.T) {
			switch kind {
			case "seen/named":
				f.seen(t, fence.ErrRegressed, fence.HealForward(), redisfence.WithIssuer("locks-1"))
			case "seen/server":
				f.seen(t, fence.ErrIssuer, fence.WithAdopt())
			case "unseen/same":
				f.unseen(t, 1)
			case "unseen/higher":
				f.unseen(t, 3)
			}
			f.judge(t)
		})
	}
	t.Logf("%d failovers: %v; 0 entries lost", n, seen)
}

// A failover has a lock service that is lost and a store that stays.
type failover struct {
	primary, replica *servers.Server
	old, young       *redis.Client
	name             string
	data             *store
	prefix           string // of the locks
	parted           bool   // the old primary lives on
	acknowledged     []string
}

func newFailover(t *testing.T, data *redis.Client, i int) *failover {
	t.Helper()
	f := &failover{name: fmt.Sprintf("job-%d", i), data: newStore(t, data), prefix: newPrefix()}
	f.primary = servers.Start(t)
	f.replica = servers.Replica(t, f.primary)
	f.old, f.young = newClient(t, f.primary.Addr()), newClient(t, f.replica.Addr())
	return f
}

func (f *failover) client(t *testing.T, c *redis.Client, opt fence.Option, opts ...redisfence.Option) *fence.Client {
	t.Helper()
	l, err := redisfence.NewLocker(t.Context(), c, append(opts, redisfence.WithPrefix(f.prefix))...)
	require.NoError(t, err)
	return fence.New(l, fence.WithTTL(time.Minute), fence.WithoutKeepAlive(), opt)
}

// add is one guarded read-modify-write of the list.
func (f *failover) add(ctx context.Context, guard *redisfence.Guard, l *fence.Lease, entry string) error {
	g, err := l.Grant(guard)
	if err != nil {
		return err
	}
	list, err := f.data.read(ctx, f.name)
	if err != nil {
		return err
	}
	err = f.data.write(ctx, g, f.name, list+" "+entry)
	if err == nil {
		f.acknowledged = append(f.acknowledged, entry)
	}
	return err
}

// fail cuts the replication, calls before on the old primary, kills it unless it
// is parted, and promotes the replica.
func (f *failover) fail(t *testing.T, before func()) {
	t.Helper()
	servers.CaughtUp(t, f.old, f.young)
	servers.Cut(t, f.young)
	before()
	if !f.parted {
		f.primary.Kill()
	}
	servers.Promote(t, f.young)
}

func (f *failover) seen(t *testing.T, want error, repair fence.Option, opts ...redisfence.Option) {
	ctx, guard := t.Context(), f.data.guard
	old := f.client(t, f.old, nil, opts...)
	require.NoError(t, old.Do(ctx, f.name, func(ctx context.Context, l *fence.Lease) error {
		return f.add(ctx, guard, l, "first")
	}, fence.Registering(guard)))
	var a *fence.Lease
	f.fail(t, func() {
		for i := range 3 {
			l, err := old.Acquire(ctx, f.name, fence.Registering(guard))
			require.NoError(t, err)
			require.NoError(t, f.add(ctx, guard, l, fmt.Sprintf("lost-%d", i)))
			if a = l; i < 2 {
				require.NoError(t, l.Release(ctx))
			}
		}
	})
	record, err := guard.Seen(ctx, f.name)
	require.NoError(t, err)

	young := f.client(t, f.young, nil, opts...)
	_, err = young.Acquire(ctx, f.name, fence.Registering(guard))
	require.ErrorIs(t, err, want)
	after, err := guard.Seen(ctx, f.name)
	require.NoError(t, err)
	require.Equal(t, record, after, "the refused holder moved the guard")
	require.NoError(t, f.add(ctx, guard, a, "still the owner")) // nobody has taken over

	repaired := f.client(t, f.young, repair, opts...)
	b, err := repaired.Acquire(ctx, f.name, fence.Registering(guard))
	require.NoError(t, err)
	require.NoError(t, f.add(ctx, guard, b, "new"))
	if f.parted {
		require.NoError(t, a.Extend(ctx, time.Minute), "the old primary knows of nothing")
	}
	err = f.add(ctx, guard, a, "stale")
	require.True(t, errors.Is(err, fence.ErrStale) || errors.Is(err, fence.ErrIssuer), "the old holder's write: %v", err)
	if f.parted && want == fence.ErrIssuer {
		// Two live issuers take the guard from each other, and nothing is lost.
		require.NoError(t, a.Release(ctx))
		c, err := f.client(t, f.old, repair, opts...).Acquire(ctx, f.name, fence.Registering(guard))
		require.NoError(t, err)
		require.NoError(t, f.add(ctx, guard, c, "taken back"))
		require.ErrorIs(t, f.add(ctx, guard, b, "stale too"), fence.ErrIssuer)
		require.NoError(t, b.Release(ctx))
		require.NoError(t, repaired.Do(ctx, f.name, func(ctx context.Context, l *fence.Lease) error {
			return f.add(ctx, guard, l, "and again")
		}, fence.Registering(guard)))
		require.ErrorIs(t, f.add(ctx, guard, c, "stale again"), fence.ErrIssuer)
		return
	}
	require.NoError(t, b.Release(ctx))

	// It goes on without help.
	require.NoError(t, young.Do(ctx, f.name, func(ctx context.Context, l *fence.Lease) error {
		return f.add(ctx, guard, l, "later")
	}, fence.Registering(guard)))
}

// unseen lets the old primary issue ahead tokens that no guard sees before the
// new primary issues its first.
func (f *failover) unseen(t *testing.T, ahead int) {
	ctx, guard := t.Context(), f.data.guard
	named := redisfence.WithIssuer("locks-1")
	old := f.client(t, f.old, nil, named)
	require.NoError(t, old.Do(ctx, f.name, func(ctx context.Context, l *fence.Lease) error {
		return f.add(ctx, guard, l, "first")
	}, fence.Registering(guard)))
	var a *fence.Lease
	f.fail(t, func() {
		for i := range ahead {
			var err error
			if a, err = old.Acquire(ctx, f.name); err != nil {
				break
			}
			if i < ahead-1 {
				require.NoError(t, a.Release(ctx))
			}
		}
	})
	b, err := f.client(t, f.young, nil, named).Acquire(ctx, f.name, fence.Registering(guard))
	require.NoError(t, err)
	require.NoError(t, f.add(ctx, guard, b, "new"))

	late, err := a.Grant(guard)
	require.NoError(t, err)
	err = guard.Register(ctx, late)
	if ahead == 1 {
		require.ErrorIs(t, err, fence.ErrStale, "the same token of another owner")
		require.ErrorIs(t, f.add(ctx, guard, a, "stale"), fence.ErrStale)
		require.NoError(t, f.add(ctx, guard, b, "newer"))
		return
	}
	require.NoError(t, err)
	require.NoError(t, f.add(ctx, guard, a, "older wins"))
	require.ErrorIs(t, f.add(ctx, guard, b, "pre-empted"), fence.ErrStale)
}

// judge compares the list with what was acknowledged, in order.
func (f *failover) judge(t *testing.T) {
	t.Helper()
	list, err := f.data.read(t.Context(), f.name)
	require.NoError(t, err)
	require.Equal(t, " "+strings.Join(f.acknowledged, " "), list)
}

// TestIssuerFollowsPromotion: connections of clients outlive it when a server
// becomes a replica and a primary again, and meanwhile others may have issued
// tokens. So the issuer is asked of the server in every acquisition: one that
// is kept for a connection, or stored beside the counter, would still be the old
// one.
func TestIssuerFollowsPromotion(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	first, other := servers.Start(t), servers.Start(t)
	client := redis.NewClient(&redis.Options{Addr: first.Addr(), PoolSize: 1})
	defer client.Close()
	locker, err := redisfence.NewLocker(ctx, client)
	require.NoError(t, err)
	acquire := func(name string) (driver.Hold, error) {
		return locker.Acquire(ctx, driver.Request{Name: name, Owner: owner("a"), TTL: time.Minute})
	}
	connection := client.ClientID(ctx).Val()
	before, err := acquire("before")
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(other.Addr())
	require.NoError(t, err)
	require.NoError(t, client.SlaveOf(ctx, host, port).Err())
	servers.Promote(t, client)
	after, err := acquire("after")
	require.NoError(t, err)
	require.NotEqual(t, before.Issuer, after.Issuer)
	require.Equal(t, connection, client.ClientID(ctx).Val(), "another connection: the test shows nothing")
}

// TestSentinelFailover lets Sentinel do it, under one client that follows.
func TestSentinelFailover(t *testing.T) {
	t.Parallel()
	for i := range max(1, proof.Count(t, "FENCE_FAILOVERS", 8)/10) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			ctx := t.Context()
			data := newStore(t, newClient(t, sharedServer(t).Addr()))
			primary := servers.Start(t)
			replica := servers.Replica(t, primary)
			sentinel := servers.Sentinel(t, primary)
			client := redis.NewFailoverClient(&redis.FailoverOptions{
				MasterName: servers.SentinelMaster, SentinelAddrs: []string{sentinel.Addr()},
			})
			defer client.Close()
			servers.CaughtUp(t, primary.Client(t), replica.Client(t))
			f := &failover{name: fmt.Sprintf("sentinel-%d", i), data: data, prefix: newPrefix()}
			a, err := f.client(t, client, nil).Acquire(ctx, f.name, fence.Registering(data.guard))
			require.NoError(t, err)
			require.NoError(t, f.add(ctx, data.guard, a, "old"))

			primary.Kill()
			// The lease of the old holder may have been replicated: then it must
			// end, as leases do.
			adopting := f.client(t, client, fence.WithAdopt())
			var b *fence.Lease
			require.Eventually(t, func() bool {
				_ = client.Del(ctx, f.prefix+":lock:{locks}:"+f.name).Err()
				b, err = adopting.TryAcquire(ctx, f.name, fence.Registering(data.guard))
				return err == nil
			}, 2*time.Minute, 50*time.Millisecond, "no lock after the failover")
			require.NoError(t, f.add(ctx, data.guard, b, "new"))
			require.ErrorIs(t, f.add(ctx, data.guard, a, "stale"), fence.ErrIssuer)
			require.NoError(t, b.Release(ctx))
			f.judge(t)
		})
	}
}
