package integration

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

// world lets one schedule run on a store. The tokens go back by some, up to
// all, of what the acquisitions of this schedule have used up.
func (s *store) world(failover bool) fencetest.World {
	w := fencetest.World{
		Locker: s.locker, Guard: s.guard, Read: s.read, Expire: s.expire,
		Write: func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			if g == (driver.Grant{}) {
				return s.put(ctx, key, value)
			}
			return s.write(ctx, g, key, value, opts...)
		},
	}
	if failover {
		w.Failover = func(ctx context.Context, name string, n int) error {
			issued, err := s.locker.Issued(ctx, name)
			if err != nil {
				return err
			}
			return s.lose(ctx, name, max(0, issued-driver.Token(5*n)))
		}
	}
	return w
}

// sum adds the figures of schedules.
type sum struct {
	mu        sync.Mutex
	schedules int
	fencetest.Result
}

func (s *sum) add(r fencetest.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.schedules++
	s.Tenures += r.Tenures
	s.Accepted += r.Accepted
	s.Refused += r.Refused
	s.Uncertain += r.Uncertain
	s.Resolved += r.Resolved
	s.Stale += r.Stale
	s.Lost += r.Lost
	s.Twice += r.Twice
}

func (s *sum) String() string {
	return fmt.Sprintf("%d schedules: %d tenures, %d writes accepted, %d refused, %d uncertain of which %d resolved; %d stale accepted, %d lost, %d twice",
		s.schedules, s.Tenures, s.Accepted, s.Refused, s.Uncertain, s.Resolved, s.Stale, s.Lost, s.Twice)
}

// runSchedules runs n schedules on some clusters, one at a time on each, since
// lost tokens are counted in the cluster's revisions.
func runSchedules(t *testing.T, n int, plan func(i int) (fencetest.Plan, bool), check func(fencetest.Plan, fencetest.Result)) map[fencetest.Mode]*sum {
	t.Helper()
	sums := map[fencetest.Mode]*sum{fencetest.RegisterMode: {}, fencetest.ClaimMode: {}, fencetest.LazyMode: {}, fencetest.Unfenced: {}}
	work := make(chan int)
	var wg sync.WaitGroup
	for range 3 {
		client := dial(t, start(t, built(t), 1).Endpoints()...)
		wg.Go(func() {
			for i := range work {
				p, failover := plan(i)
				p.Seed, p.Timeline = uint64(i), true
				p.Name = fmt.Sprintf("%v-%d", p.Mode, i)
				r, err := fencetest.Schedule(context.Background(), over(t, client, unused()).world(failover), p)
				if err != nil {
					t.Errorf("%v\n%s", err, strings.Join(r.Timeline, "\n"))
				}
				check(p, r)
				sums[p.Mode].add(r)
			}
		})
	}
	first := count(t, "FENCE_SEED", 0)
	for i := range n {
		work <- first + i
	}
	close(work)
	wg.Wait()
	return sums
}

// TestSchedules drives the shipped client through random schedules: no strict
// guard accepts a stale write, loses one or applies one twice.
func TestSchedules(t *testing.T) {
	t.Parallel()
	plan := func(i int) (fencetest.Plan, bool) {
		mode := [...]fencetest.Mode{fencetest.RegisterMode, fencetest.ClaimMode}[i%2]
		return fencetest.Plan{Mode: mode, Once: i/2%2 == 0}, i/4%2 == 1
	}
	sums := runSchedules(t, count(t, "FENCE_SCHEDULES", 24), plan, func(p fencetest.Plan, r fencetest.Result) {
		if r.Stale+r.Lost+r.Twice > 0 {
			t.Errorf("seed %d: stale %d, lost %d, twice %d\n%s", p.Seed, r.Stale, r.Lost, r.Twice, strings.Join(r.Timeline, "\n"))
		}
	})
	for _, mode := range []fencetest.Mode{fencetest.RegisterMode, fencetest.ClaimMode} {
		t.Logf("%v: %v", mode, sums[mode])
		require.NotZero(t, sums[mode].Accepted)
		require.NotZero(t, sums[mode].Refused, "the schedules show nothing")
		require.NotZero(t, sums[mode].Resolved, "the schedules show nothing")
	}
}

// TestControlsLose: the same schedules without a guard, and with the lazy
// form, do lose writes, so they can show what they are there to show.
func TestControlsLose(t *testing.T) {
	t.Parallel()
	plan := func(i int) (fencetest.Plan, bool) {
		return fencetest.Plan{Mode: [...]fencetest.Mode{fencetest.LazyMode, fencetest.Unfenced}[i%2]}, false
	}
	sums := runSchedules(t, 60, plan, func(fencetest.Plan, fencetest.Result) {})
	for _, mode := range []fencetest.Mode{fencetest.LazyMode, fencetest.Unfenced} {
		t.Logf("%v: %v", mode, sums[mode])
		require.NotZero(t, sums[mode].Lost)
	}
}
