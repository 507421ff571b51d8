package integration

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proxy"
)

// TestRoundTrips counts at the wire how often the client speaks after the
// server has spoken. The first call of each kind is left out: it opens a
// connection and teaches the server a script.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p, err := proxy.Start(sharedServer(t).Addr(), 0)
	require.NoError(t, err)
	defer p.Close()
	s := newStore(t, newClient(t, fmt.Sprintf("127.0.0.1:%d", p.Port())))
	var hold driver.Hold
	var g driver.Grant
	request := func(i int) driver.Request {
		return driver.Request{Name: "job", Owner: owner(fmt.Sprint(i)), TTL: time.Hour}
	}
	trips := func(call func(i int) error) int64 {
		require.NoError(t, call(0))
		before := p.Trips()
		const n = 20
		for i := range n {
			require.NoError(t, call(i+1))
		}
		all := p.Trips() - before
		require.Zero(t, all%n, "%d trips of %d calls", all, n)
		return all / n
	}
	got := map[string]int64{}
	got["acquire and release"] = trips(func(i int) error {
		h, err := s.locker.Acquire(ctx, request(i))
		if err != nil {
			return err
		}
		return s.locker.Release(ctx, h)
	})
	got["acquire"] = trips(func(int) (err error) {
		hold, err = s.locker.Acquire(ctx, request(0))
		return err
	})
	got["extend"] = trips(func(int) error { return s.locker.Extend(ctx, hold, time.Hour) })
	got["register"] = trips(func(i int) error {
		g = grant("job", fmt.Sprint(i), driver.Token(i+1))
		return s.guard.Register(ctx, g)
	})
	got["claim"] = trips(func(i int) error {
		_, err := s.guard.Claim(ctx, "claimed", owner(fmt.Sprint(i)))
		return err
	})
	got["write"] = trips(func(i int) error { return s.write(ctx, g, "job", fmt.Sprint(i)) })
	got["write once"] = trips(func(i int) error {
		return s.write(ctx, g, "job", fmt.Sprint(i), driver.OncePerRequest(fmt.Sprint(i)))
	})
	old := g
	old.Token--
	got["refused write"] = trips(func(i int) error {
		require.ErrorIs(t, s.write(ctx, old, "job", "stale"), driver.ErrStale)
		return nil
	})
	require.Equal(t, map[string]int64{
		"acquire and release": 2, "acquire": 1, "extend": 1, "register": 1, "claim": 1,
		"write": 1, "write once": 1, "refused write": 1,
	}, got)

	// A whole tenure: acquire, register, read, write, release.
	require.NoError(t, s.locker.Release(ctx, hold))
	locks := fence.New(s.locker, fence.WithTTL(time.Hour), fence.WithAdopt())
	require.EqualValues(t, 5, trips(func(i int) error {
		l, err := locks.Acquire(ctx, fmt.Sprintf("tenure-%d", i), fence.Registering(s.guard))
		if err != nil {
			return err
		}
		grant, err := l.Grant(s.guard)
		if err != nil {
			return err
		}
		value, err := s.read(ctx, "tenure")
		if err != nil {
			return err
		}
		if err := s.write(ctx, grant, "tenure", value+"x"); err != nil {
			return err
		}
		return l.Release(ctx)
	}))
}
