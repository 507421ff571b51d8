package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/redisfence"
	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
)

// tenure is one acquisition, registered at the guard, with one write.
func tenure(ctx context.Context, locks *fence.Client, data *store, name, value string) error {
	return locks.Do(ctx, name, func(ctx context.Context, l *fence.Lease) error {
		g, err := l.Grant(data.guard)
		if err != nil {
			return err
		}
		return data.write(ctx, g, name, value)
	}, fence.Registering(data.guard))
}

// TestDeletedGuard: a guard that was deleted refuses its holder and is not made
// again by a write; the next holder makes it.
func TestDeletedGuard(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, newClient(t, sharedServer(t).Addr()))
	locks := fence.New(s.locker, fence.WithTTL(time.Minute))
	l, err := locks.Acquire(ctx, "job", fence.Registering(s.guard))
	require.NoError(t, err)
	g, err := l.Grant(s.guard)
	require.NoError(t, err)
	require.NoError(t, s.write(ctx, g, "job", "before"))
	require.NoError(t, s.client.Del(ctx, s.guardKey("job")).Err())
	for range 2 {
		require.ErrorIs(t, s.write(ctx, g, "job", "after"), driver.ErrStale)
	}
	seen, err := s.guard.Seen(ctx, "job")
	require.NoError(t, err)
	require.Zero(t, seen)
	value, err := s.read(ctx, "job")
	require.NoError(t, err)
	require.Equal(t, "before", value)
	require.NoError(t, l.Release(ctx))
	require.NoError(t, tenure(ctx, locks, s, "job", "next"))
}

// TestDeletedCounter: tokens begin anew, and the first registration tells.
func TestDeletedCounter(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, newClient(t, sharedServer(t).Addr()))
	locks := fence.New(s.locker, fence.WithTTL(time.Minute))
	for i := range 3 {
		require.NoError(t, tenure(ctx, locks, s, "job", fmt.Sprint(i)))
	}
	require.NoError(t, s.client.Del(ctx, s.counterKey()).Err())
	err := tenure(ctx, locks, s, "job", "after")
	var regressed *fence.RegressedError
	require.ErrorAs(t, err, &regressed)
	require.EqualValues(t, 3, regressed.Seen.Token)
	require.EqualValues(t, 1, regressed.Have.Token)
	require.EqualValues(t, 1, regressed.Issued)
	value, err := s.read(ctx, "job")
	require.NoError(t, err)
	require.Equal(t, "2", value)

	healing := fence.New(s.locker, fence.WithTTL(time.Minute), fence.HealForward())
	require.NoError(t, tenure(ctx, healing, s, "job", "healed"))
	require.NoError(t, tenure(ctx, locks, s, "job", "goes on"))
	seen, err := s.guard.Seen(ctx, "job")
	require.NoError(t, err)
	require.EqualValues(t, 5, seen.Token)
}

// TestEviction lets a server without memory evict guard and counter.
func TestEviction(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := servers.Start(t, "--maxmemory", "4mb", "--maxmemory-policy", "allkeys-random")
	client := newClient(t, server.Addr())
	_, err := redisfence.NewLocker(ctx, client)
	require.ErrorIs(t, err, redisfence.ErrEviction)
	_, err = redisfence.NewGuard(ctx, client)
	require.ErrorIs(t, err, redisfence.ErrEviction)
	require.ErrorIs(t, err, driver.ErrUnavailable)
	for _, way := range []string{"allkeys-random", "CONFIG SET maxmemory-policy noeviction", "WithoutEvictionCheck"} {
		require.ErrorContains(t, err, way)
	}

	unchecked := redisfence.WithoutEvictionCheck()
	locker, err := redisfence.NewLocker(ctx, client, unchecked)
	require.NoError(t, err)
	guard, err := redisfence.NewGuard(ctx, client, unchecked)
	require.NoError(t, err)
	data := newStore(t, newClient(t, sharedServer(t).Addr())) // keeps what it has seen
	locks := fence.New(locker, fence.WithTTL(time.Hour))
	for range 5 {
		require.NoError(t, tenure(ctx, locks, data, "job", "before"))
	}
	g := grant("job", "a", 1)
	require.NoError(t, guard.Register(ctx, g))
	for i := 0; ; i++ {
		left, err := client.Exists(ctx, "fence:guard:{job}:job", "fence:token:{locks}").Result()
		require.NoError(t, err)
		if left == 0 {
			break
		}
		require.Less(t, i, 200_000, "nothing is evicted")
		pipe := client.Pipeline()
		for j := range 100 {
			pipe.Set(ctx, fmt.Sprintf("fill-%d-%d", i, j), strings.Repeat("x", 1000), 0)
		}
		_, err = pipe.Exec(ctx)
		require.NoError(t, err)
	}
	_, err = guard.Eval(ctx, g, set, []string{"{job}"}, []any{"after"})
	require.ErrorIs(t, err, driver.ErrStale)
	require.ErrorIs(t, tenure(ctx, locks, data, "job", "after"), fence.ErrRegressed)
}

// TestMemory: a full server that evicts nothing refuses by name, and nothing
// has changed.
func TestMemory(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := servers.Start(t, "--maxmemory-policy", "noeviction")
	s := newStore(t, newClient(t, server.Addr()))
	g := grant("job", "a", 1)
	require.NoError(t, s.guard.Register(ctx, g))
	require.NoError(t, s.write(ctx, g, "job", "before"))
	hold, err := s.locker.Acquire(ctx, driver.Request{Name: "held", Owner: owner("a"), TTL: time.Hour})
	require.NoError(t, err)
	require.NoError(t, s.client.ConfigSet(ctx, "maxmemory", "1").Err())
	for call, err := range calls(ctx, s, g) {
		if reads(call) {
			require.NoError(t, err, call)
			continue
		}
		require.ErrorIs(t, err, redisfence.ErrMemory, call)
		require.NotErrorIs(t, err, driver.ErrUncertain, call)
	}
	require.NoError(t, s.client.ConfigSet(ctx, "maxmemory", "0").Err())
	value, err := s.read(ctx, "job")
	require.NoError(t, err)
	require.Equal(t, "before", value)
	seen, err := s.guard.Seen(ctx, "job")
	require.NoError(t, err)
	require.Equal(t, g, seen)
	require.NoError(t, s.locker.Release(ctx, hold))
}

// TestServerClockJumps sets the server's clock back and forth by an hour while
// workers add to a list. Leases end early or late; nothing is lost.
func TestServerClockJumps(t *testing.T) {
	t.Parallel()
	libraries, err := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1") // where Debian puts it
	require.NoError(t, err)
	if len(libraries) == 0 {
		servers.Require(t, fmt.Errorf("%w: faketime", servers.ErrMissing))
	}
	libc := filepath.Join(filepath.Dir(filepath.Dir(libraries[0])), "libc.so.6")
	require.FileExists(t, libc)
	file := filepath.Join(t.TempDir(), "now")
	jump := func(seconds int) {
		// In one step: a server that reads half of it takes it for another time.
		require.NoError(t, os.WriteFile(file+".new", fmt.Appendf(nil, "%+d\n", seconds), 0o600))
		require.NoError(t, os.Rename(file+".new", file))
	}
	jump(0)
	// jemalloc, which the server uses, asks for the time before faketime is
	// ready, and both wait for ever; so libc's malloc comes first.
	server := servers.StartEnv(t, []string{
		"LD_PRELOAD=" + libraries[0] + " " + libc, "FAKETIME_TIMESTAMP_FILE=" + file, "FAKETIME_NO_CACHE=1", "DONT_FAKE_MONOTONIC=1",
	})
	s := newStore(t, newClient(t, server.Addr()))
	ctx := t.Context()
	offset := func() time.Duration {
		now, err := s.client.Time(ctx).Result()
		require.NoError(t, err)
		return time.Until(now).Round(time.Minute)
	}

	// Forth: a lease of a minute ends now, and the next holder has a greater token.
	a, err := s.locker.Acquire(ctx, driver.Request{Name: "n", Owner: owner("a"), TTL: time.Minute})
	require.NoError(t, err)
	jump(3600)
	require.Eventually(t, func() bool { return offset() == time.Hour }, time.Minute, 10*time.Millisecond, "the clock does not jump: the test shows nothing")
	b, err := s.locker.Acquire(ctx, driver.Request{Name: "n", Owner: owner("b"), TTL: time.Minute})
	require.NoError(t, err)
	require.Greater(t, b.Token, a.Token)
	require.ErrorIs(t, s.locker.Release(ctx, a), driver.ErrNotOwner)
	// Back: it ends an hour late.
	jump(0)
	require.Eventually(t, func() bool { return offset() == 0 }, time.Minute, 10*time.Millisecond)
	left, err := s.client.PTTL(ctx, s.lockKey("n")).Result()
	require.NoError(t, err)
	require.Greater(t, left, 30*time.Minute)
	require.NoError(t, s.locker.Release(ctx, b))

	var mu sync.Mutex
	acknowledged, refused := map[string]bool{}, 0
	var workers, clock sync.WaitGroup
	stop := make(chan struct{})
	clock.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(15 * time.Millisecond):
				jump([]int{0, 3600, 0, -3600}[i%4])
			}
		}
	})
	for w := range 4 {
		locks := fence.New(s.locker, fence.WithTTL(10*time.Second), fence.WithoutKeepAlive(), fence.WithRetry(time.Millisecond, 5*time.Millisecond))
		workers.Go(func() {
			for n := range 40 {
				entry := fmt.Sprintf("%d.%d", w, n)
				bounded, cancel := context.WithTimeout(ctx, time.Second)
				err := locks.Do(bounded, "job", func(ctx context.Context, l *fence.Lease) error {
					ctx = context.WithoutCancel(ctx)
					g, err := l.Grant(s.guard)
					if err != nil {
						return err
					}
					list, err := s.read(ctx, "job")
					if err != nil {
						return err
					}
					time.Sleep(time.Duration(n%3) * 8 * time.Millisecond) // so that others can interfere
					return s.write(ctx, g, "job", list+" "+entry)
				}, fence.Registering(s.guard))
				cancel()
				mu.Lock()
				switch {
				case err == nil:
					acknowledged[entry] = true
				case errors.Is(err, fence.ErrStale):
					refused++
				case errors.Is(err, fence.ErrNotAcquired), errors.Is(err, context.DeadlineExceeded):
				default:
					t.Errorf("%s: %v", entry, err)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	close(stop)
	clock.Wait()
	list, err := s.read(ctx, "job")
	require.NoError(t, err)
	require.NotEmpty(t, acknowledged)
	require.NotZero(t, refused, "no lease ended early: the test shows nothing")
	for entry := range acknowledged {
		require.Equal(t, 1, strings.Count(list+" ", " "+entry+" "), entry)
	}
	t.Logf("%d acknowledged and kept, %d refused", len(acknowledged), refused)
}
