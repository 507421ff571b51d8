package proof

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
)

// A World makes that of one schedule; those of one lane run one after the other.
type World func(lane int, p fencetest.Plan, failover bool) (fencetest.World, error)

// NewWorld puts the world of a store together. put writes without a guard. A
// failover loses as many tokens as each acquisition uses up, times the number of
// acquisitions.
func NewWorld(guard *fencetest.GuardHarness, lock *fencetest.LockHarness, put func(ctx context.Context, key, value string) error, each int, failover bool) fencetest.World {
	w := fencetest.World{
		Locker: lock.Locker, Guard: guard.Guard, Read: guard.Read, Expire: lock.Expire,
		Write: func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			if g == (driver.Grant{}) {
				return put(ctx, key, value)
			}
			return guard.Write(ctx, g, key, value, opts...)
		},
	}
	if failover {
		w.Failover = func(ctx context.Context, name string, n int) error {
			issued, err := lock.Locker.(driver.Issuer).Issued(ctx, name)
			if err != nil {
				return err
			}
			return lock.Lose(ctx, name, max(0, issued-driver.Token(n*each)))
		}
	}
	return w
}

// Schedules drives the shipped client through n random schedules, some lanes at
// a time: no strict guard accepts a stale write, loses one or applies one twice.
func Schedules(t *testing.T, n, lanes int, world World) {
	t.Helper()
	modes := []fencetest.Mode{fencetest.RegisterMode, fencetest.ClaimMode}
	plan := func(i int) (fencetest.Plan, bool) {
		return fencetest.Plan{Mode: modes[i%2], Once: i/2%2 == 0}, i/4%2 == 1
	}
	sums := run(t, n, lanes, world, plan, func(p fencetest.Plan, r fencetest.Result) {
		if r.Stale+r.Lost+r.Twice > 0 {
			t.Errorf("seed %d: stale %d, lost %d, twice %d\n%s", p.Seed, r.Stale, r.Lost, r.Twice, strings.Join(r.Timeline, "\n"))
		}
	})
	for _, mode := range modes {
		t.Logf("%v: %v", mode, sums[mode])
		require.NotZero(t, sums[mode].Accepted)
		require.NotZero(t, sums[mode].Refused, "the schedules show nothing")
		require.NotZero(t, sums[mode].Resolved, "the schedules show nothing")
	}
}

// ControlsLose: the same schedules without a guard, and with the lazy form, do
// lose writes, so they can show what they are there to show.
func ControlsLose(t *testing.T, n, lanes int, world World) {
	t.Helper()
	modes := []fencetest.Mode{fencetest.LazyMode, fencetest.Unfenced}
	plan := func(i int) (fencetest.Plan, bool) { return fencetest.Plan{Mode: modes[i%2]}, false }
	sums := run(t, n, lanes, world, plan, func(fencetest.Plan, fencetest.Result) {})
	for _, mode := range modes {
		t.Logf("%v: %v", mode, sums[mode])
		require.NotZero(t, sums[mode].Lost)
	}
}

// run sums schedules by mode. FENCE_SEED is the seed of the first.
func run(t *testing.T, n, lanes int, world World, plan func(i int) (fencetest.Plan, bool), check func(fencetest.Plan, fencetest.Result)) map[fencetest.Mode]*sum {
	t.Helper()
	sums := map[fencetest.Mode]*sum{fencetest.RegisterMode: {}, fencetest.ClaimMode: {}, fencetest.LazyMode: {}, fencetest.Unfenced: {}}
	var mu sync.Mutex
	one := func(lane, i int) {
		p, failover := plan(i)
		p.Seed, p.Timeline = uint64(i), true
		p.Name = fmt.Sprintf("%v-%d", p.Mode, i)
		w, err := world(lane, p, failover)
		if err != nil {
			t.Error(err)
			return
		}
		r, err := fencetest.Schedule(context.Background(), w, p)
		if err != nil {
			t.Errorf("%v\n%s", err, strings.Join(r.Timeline, "\n"))
		}
		check(p, r)
		mu.Lock()
		defer mu.Unlock()
		sums[p.Mode].schedules++
		sums[p.Mode].Add(r)
	}
	work := make(chan int)
	var wg sync.WaitGroup
	for lane := range lanes {
		wg.Go(func() {
			for i := range work {
				one(lane, i)
			}
		})
	}
	first := Count(t, "FENCE_SEED", 0)
	for i := range n {
		work <- first + i
	}
	close(work)
	wg.Wait()
	return sums
}

// sum adds the figures of schedules.
type sum struct {
	schedules int
	fencetest.Result
}

func (s *sum) String() string {
	return fmt.Sprintf("%d schedules: %d tenures, %d writes accepted, %d refused, %d uncertain of which %d resolved; %d stale accepted, %d lost, %d twice",
		s.schedules, s.Tenures, s.Accepted, s.Refused, s.Uncertain, s.Resolved, s.Stale, s.Lost, s.Twice)
}
