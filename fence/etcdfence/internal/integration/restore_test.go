package integration

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/cluster"
	"github.com/fencelint/fencelint/fence/memfence"
)

// restored is a cluster with a guard outside of it, that has seen tokens from
// after the snapshot to which the cluster was restored.
type restored struct {
	*store
	outside *memfence.Store
	seen    driver.Grant
}

func restore(t *testing.T, r cluster.Restoration) restored {
	t.Helper()
	ctx := t.Context()
	c := start(t, built(t), 1)
	outside := memfence.NewStore()
	s := over(t, dial(t, c.Endpoints()...), "fence/")
	require.NoError(t, tenure(ctx, s, outside, "one"))
	path, err := c.Save(ctx, "snapshot")
	require.NoError(t, err)
	for _, value := range []string{"two", "three", "four"} {
		require.NoError(t, tenure(ctx, s, outside, value))
	}
	seen, err := outside.Seen(ctx, "job")
	require.NoError(t, err)
	require.NoError(t, c.Restore(path, r))
	return restored{over(t, dial(t, c.Endpoints()...), "fence/"), outside, seen}
}

// tenure is one acquisition that registers at a guard outside and writes there.
func tenure(ctx context.Context, s *store, outside *memfence.Store, value string, opts ...fence.Option) error {
	locks := fence.New(s.locker, append(opts, fence.WithTTL(time.Minute))...)
	return locks.Do(ctx, "job", func(ctx context.Context, l *fence.Lease) error {
		g, err := l.Grant(outside)
		if err != nil {
			return err
		}
		return outside.Put(ctx, g, "job", value)
	}, fence.Registering(outside))
}

func (r restored) value(t *testing.T) string {
	t.Helper()
	v, err := r.outside.Get(t.Context(), "job")
	require.NoError(t, err)
	return v
}

// TestRestoredSnapshot: with the same cluster id, the guard outside sees that
// the cluster went backwards. Nothing is written until an operator, or
// HealForward, raises the tokens.
func TestRestoredSnapshot(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	r := restore(t, cluster.Restoration{})
	err := tenure(ctx, r.store, r.outside, "after the restore")
	var regressed *fence.RegressedError
	require.ErrorAs(t, err, &regressed)
	require.Equal(t, r.seen, regressed.Seen)
	require.Equal(t, r.seen.Issuer, regressed.Have.Issuer, "the id of the cluster went with the restore")
	require.Less(t, regressed.Have.Token, r.seen.Token)
	require.Equal(t, "four", r.value(t))

	require.NoError(t, tenure(ctx, r.store, r.outside, "healed", fence.HealForward()))
	require.NoError(t, tenure(ctx, r.store, r.outside, "goes on"))
	require.Equal(t, "goes on", r.value(t))
	after, err := r.outside.Seen(ctx, "job")
	require.NoError(t, err)
	require.Greater(t, after.Token, r.seen.Token)
}

// TestRestoredBumped: where the restore moves the revision on, tokens go on
// growing and nothing needs repair.
func TestRestoredBumped(t *testing.T) {
	t.Parallel()
	r := restore(t, cluster.Restoration{Bump: 1_000_000})
	require.NoError(t, tenure(t.Context(), r.store, r.outside, "after the restore"))
	after, err := r.outside.Seen(t.Context(), "job")
	require.NoError(t, err)
	require.Equal(t, r.seen.Issuer, after.Issuer)
	require.Greater(t, after.Token, r.seen.Token+999_000)
}

// TestRestoredElsewhere: with another cluster id, the tokens cannot be
// compared.
func TestRestoredElsewhere(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	r := restore(t, cluster.Restoration{Token: "another"})
	require.ErrorIs(t, tenure(ctx, r.store, r.outside, "after the restore"), fence.ErrIssuer)
	require.Equal(t, "four", r.value(t))
	require.NoError(t, tenure(ctx, r.store, r.outside, "adopted", fence.WithAdopt()))
	require.Equal(t, "adopted", r.value(t))
}

// TestRestoredGuard: the guard in the cluster is restored together with the
// data. A holder from after the snapshot is refused, although its token is the
// greatest of all, and the ownership of the snapshot is the one whose writes
// are taken.
func TestRestoredGuard(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, built(t), 1)
	s := over(t, dial(t, c.Endpoints()...), "fence/")
	take := func(s *store, owner string) driver.Grant {
		t.Helper()
		h, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: owner, TTL: time.Minute})
		require.NoError(t, err)
		require.NoError(t, s.guard.Register(ctx, h.Grant()))
		return h.Grant()
	}
	first := take(s, "first-0123456789")
	require.NoError(t, s.write(ctx, first, "job", "first"))
	path, err := c.Save(ctx, "snapshot")
	require.NoError(t, err)
	for range 5 { // so that the revision goes back by more than is used again below
		require.NoError(t, s.put(ctx, "other", "x"))
	}
	require.NoError(t, s.expire(ctx, "job"))
	stale := take(s, "stale-0123456789")
	require.NoError(t, s.write(ctx, stale, "job", "forgotten"))

	require.NoError(t, c.Restore(path, cluster.Restoration{}))
	s = over(t, dial(t, c.Endpoints()...), "fence/")
	require.ErrorIs(t, s.write(ctx, stale, "job", "stale"), fence.ErrStale)
	_, err = s.locker.Txn(ctx, stale).Then(clientv3.OpPut(s.key("job"), "stale")).Commit()
	require.ErrorIs(t, err, fence.ErrStale)
	require.NoError(t, s.write(ctx, first, "job", "still first"), "the snapshot shows this ownership")

	require.NoError(t, s.expire(ctx, "job"))
	second := take(s, "second-0123456789")
	require.Less(t, first.Token, second.Token)
	require.Less(t, second.Token, stale.Token, "the revision did not go back: the test shows nothing")
	require.NoError(t, s.write(ctx, second, "job", "second"))
	require.ErrorIs(t, s.write(ctx, stale, "job", "stale"), fence.ErrStale)
	require.ErrorIs(t, s.write(ctx, first, "job", "stale"), fence.ErrStale)
	value, err := s.read(ctx, "job")
	require.NoError(t, err)
	require.Equal(t, "second", value)
	// The limit: if the forgotten holder registers late, its token is greater and
	// order cannot tell it. It then is the one that may write, the other is not.
	require.NoError(t, s.guard.Register(ctx, stale))
	require.ErrorIs(t, s.write(ctx, second, "job", "second again"), fence.ErrStale)
}

// TestCompaction: what a guard and a lock need is never in the history.
func TestCompaction(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, built(t), 1)
	s := over(t, dial(t, c.Endpoints()...), "fence/")
	h, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: "owner-0123456789", TTL: time.Minute})
	require.NoError(t, err)
	require.NoError(t, s.guard.Register(ctx, h.Grant()))
	claim, err := s.guard.Claim(ctx, "claimed", h.Owner)
	require.NoError(t, err)
	require.NoError(t, ledger{s}.Apply(ctx, h.Grant(), "q"))
	waiting := make(chan error, 1)
	go func() { waiting <- s.locker.Wait(ctx, "job") }()
	for range 50 {
		require.NoError(t, s.put(ctx, "other", "x"))
	}
	resp, err := s.client.Get(ctx, "revision")
	require.NoError(t, err)
	_, err = s.client.Compact(ctx, resp.Header.Revision, clientv3.WithCompactPhysical())
	require.NoError(t, err)
	_, err = s.client.Defragment(ctx, c.Endpoints()[0])
	require.NoError(t, err)

	again, err := s.locker.Acquire(ctx, driver.Request{Name: "job", Owner: "owner-0123456789", TTL: time.Minute})
	require.NoError(t, err)
	require.Equal(t, h, again)
	require.NoError(t, s.write(ctx, h.Grant(), "job", "x"))
	same, err := s.guard.Claim(ctx, "claimed", h.Owner)
	require.NoError(t, err)
	require.Equal(t, claim, same)
	require.NoError(t, s.write(ctx, claim, "claimed", "x"))
	require.ErrorIs(t, ledger{s}.Apply(ctx, h.Grant(), "q"), driver.ErrDuplicate)
	issued, err := s.locker.Issued(ctx, "job")
	require.NoError(t, err)
	require.Equal(t, h.Token, issued)
	require.NoError(t, s.locker.Release(ctx, h))
	require.NoError(t, <-waiting)
}
