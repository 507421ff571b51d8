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
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// world lets schedules run on a store.
func world(s *stores.Store, failover bool) fencetest.World {
	w := fencetest.World{
		Locker: s.Locker,
		Guard:  s.Guard,
		Read:   s.Read,
		Expire: s.Expire,
		Write: func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			if g == (driver.Grant{}) {
				return s.Put(ctx, s.DB, key, value)
			}
			return s.Write(ctx, g, key, value, opts...)
		},
	}
	if failover {
		w.Failover = func(ctx context.Context, name string, n int) error {
			issued, err := s.Locker.Issued(ctx, name)
			if err != nil {
				return err
			}
			return s.Lose(ctx, name, max(0, issued-driver.Token(n)))
		}
	}
	return w
}

// sum adds the figures of schedules.
type sum struct {
	sync.Mutex
	schedules int
	fencetest.Result
}

func (s *sum) add(r fencetest.Result) {
	s.Lock()
	defer s.Unlock()
	s.schedules++
	s.Add(r)
}

func (s *sum) String() string {
	return fmt.Sprintf("%d schedules: %d tenures, %d writes accepted, %d refused, %d uncertain of which %d resolved; %d stale accepted, %d lost, %d twice",
		s.schedules, s.Tenures, s.Accepted, s.Refused, s.Uncertain, s.Resolved, s.Stale, s.Lost, s.Twice)
}

// run runs n schedules, a few at a time, and sums them by mode.
func runSchedules(t *testing.T, s *stores.Store, n int, plan func(i int) (fencetest.Plan, bool), check func(*testing.T, fencetest.Plan, fencetest.Result)) map[fencetest.Mode]*sum {
	t.Helper()
	sums := map[fencetest.Mode]*sum{fencetest.RegisterMode: {}, fencetest.ClaimMode: {}, fencetest.LazyMode: {}, fencetest.Unfenced: {}}
	work := make(chan int)
	var wg sync.WaitGroup
	for range 12 { // more than cores: they wait for the server
		wg.Go(func() {
			for i := range work {
				p, failover := plan(i)
				p.Seed, p.Timeline = uint64(i), true
				p.Name = fmt.Sprintf("%v-%d", p.Mode, i)
				r, err := fencetest.Schedule(context.Background(), world(s, failover), p)
				if err != nil {
					t.Errorf("%v\n%s", err, strings.Join(r.Timeline, "\n"))
				}
				check(t, p, r)
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

// TestSchedules drives the shipped client through random schedules on real
// databases: no strict guard accepts a stale write, loses one or applies one
// twice.
func TestSchedules(t *testing.T) {
	t.Parallel()
	n := count(t, "FENCE_SCHEDULES", 24)
	onEach(t, func(t *testing.T, k kind) {
		s := open(t, k.new(t, patient))
		plan := func(i int) (fencetest.Plan, bool) {
			mode := [...]fencetest.Mode{fencetest.RegisterMode, fencetest.ClaimMode}[i%2]
			return fencetest.Plan{Mode: mode, Once: i/2%2 == 0}, i/4%2 == 1
		}
		sums := runSchedules(t, s, n, plan, func(t *testing.T, p fencetest.Plan, r fencetest.Result) {
			if r.Stale+r.Lost+r.Twice > 0 {
				t.Errorf("seed %d: stale %d, lost %d, twice %d\n%s", p.Seed, r.Stale, r.Lost, r.Twice, strings.Join(r.Timeline, "\n"))
			}
		})
		for _, mode := range []fencetest.Mode{fencetest.RegisterMode, fencetest.ClaimMode} {
			t.Logf("%s %v: %v", k.name, mode, sums[mode])
			require.NotZero(t, sums[mode].Accepted)
			require.NotZero(t, sums[mode].Refused, "the schedules show nothing")
			require.NotZero(t, sums[mode].Resolved, "the schedules show nothing")
		}
	})
}

// TestControlsLose: the same schedules without a guard, and with the lazy
// form, do lose writes, so they can show what they are there to show.
func TestControlsLose(t *testing.T) {
	t.Parallel()
	n := 2 * count(t, "FENCE_CONTROLS", 40)
	onEach(t, func(t *testing.T, k kind) {
		s := open(t, k.new(t, patient))
		plan := func(i int) (fencetest.Plan, bool) {
			return fencetest.Plan{Mode: [...]fencetest.Mode{fencetest.LazyMode, fencetest.Unfenced}[i%2]}, false
		}
		sums := runSchedules(t, s, n, plan, func(*testing.T, fencetest.Plan, fencetest.Result) {})
		for _, mode := range []fencetest.Mode{fencetest.LazyMode, fencetest.Unfenced} {
			t.Logf("%s %v: %v", k.name, mode, sums[mode])
			require.NotZero(t, sums[mode].Lost)
		}
	})
}
