package integration

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

// A jumpyClock is a process's clock that somebody sets.
type jumpyClock struct {
	mu     sync.Mutex
	offset time.Duration
}

func (c *jumpyClock) jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}

func (c *jumpyClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *jumpyClock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *jumpyClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

// TestWorkerClockJumps sets the workers' clocks back and forth by hours while
// they add to a list. On the servers' databases expiry does not depend on
// them; on SQLite it does, and leases end early or late. No write is lost
// either way.
func TestWorkerClockJumps(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		place := k.new(t, patient)
		open(t, place)
		const workers, tenures = 3, 12
		var mu sync.Mutex
		acknowledged := map[string]bool{}
		refused := 0
		var wg sync.WaitGroup
		for w := range workers {
			clock := &jumpyClock{}
			var opts []sqlfence.Option
			if k.name == "sqlite" {
				opts = append(opts, sqlfence.WithClock(clock.Now))
			}
			s, err := stores.Open(place, opts...)
			require.NoError(t, err)
			defer s.Close()
			client := fence.New(s.Locker, fence.WithTTL(time.Minute), fence.WithClock(clock), fence.WithRetry(time.Millisecond, 5*time.Millisecond))
			wg.Go(func() {
				for n := range tenures {
					clock.jump([]time.Duration{time.Hour, -time.Hour, -time.Hour, time.Hour}[(n+w)%4])
					entry := fmt.Sprintf("%d.%d", w, n)
					// Where its own clock stands behind, a worker may wait for
					// a lease for ever: that is liveness, and its limit here.
					bounded, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
					err := client.Do(bounded, "job", func(ctx context.Context, l *fence.Lease) error {
						ctx = context.WithoutCancel(ctx)
						g, err := l.Grant(s.Guard)
						if err != nil {
							return err
						}
						value, err := s.Read(ctx, "job")
						if err != nil {
							return err
						}
						clock.jump([]time.Duration{-2 * time.Hour, 2 * time.Hour}[n%2])
						time.Sleep(2 * time.Millisecond) // so that others can interfere
						return s.Write(ctx, g, "job", value+" "+entry)
					}, fence.Registering(s.Guard))
					cancel()
					mu.Lock()
					switch {
					case err == nil:
						acknowledged[entry] = true
					case errors.Is(err, fence.ErrStale):
						refused++
					case errors.Is(err, fence.ErrNotAcquired), errors.Is(err, fence.ErrLost), errors.Is(err, context.DeadlineExceeded):
					default:
						t.Errorf("%s: %v", entry, err)
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		s, err := stores.Open(place)
		require.NoError(t, err)
		defer s.Close()
		value, err := s.Read(ctx, "job")
		require.NoError(t, err)
		require.NotEmpty(t, acknowledged)
		for entry := range acknowledged {
			require.Contains(t, value+" ", " "+entry+" ")
		}
		t.Logf("%s: %d acknowledged and kept, %d refused", k.name, len(acknowledged), refused)
	})
}

// TestSQLiteClockBack: a clock that goes back keeps a lease longer, and never
// gives a token twice.
func TestSQLiteClockBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	clock := &jumpyClock{}
	s := open(t, stores.SQLite(t.TempDir()+"/store.db", time.Second), sqlfence.WithClock(clock.Now))
	acquire := func(owner string) (driver.Hold, error) {
		return s.Locker.Acquire(ctx, driver.Request{Name: "job", Owner: owner, TTL: time.Minute})
	}
	a, err := acquire("a-0123456789abcd")
	require.NoError(t, err)
	clock.jump(-time.Hour)
	_, err = acquire("b-0123456789abcd")
	require.ErrorIs(t, err, driver.ErrNotAcquired)
	clock.jump(2 * time.Hour)
	b, err := acquire("b-0123456789abcd")
	require.NoError(t, err)
	require.Greater(t, b.Token, a.Token)
	clock.jump(-time.Hour)
	require.ErrorIs(t, s.Locker.Release(ctx, a), driver.ErrNotOwner)
	require.NoError(t, s.Locker.Release(ctx, b))
}
