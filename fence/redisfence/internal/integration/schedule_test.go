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
	"github.com/fencelint/fencelint/fence/redisfence"
)

// world lets schedules run on a store. A failover loses tokens under the same
// issuer, or, where the issuer is the server, replaces the issuer.
func world(s *store, failover bool) fencetest.World {
	w := fencetest.World{
		Locker: s.locker,
		Guard:  s.guard,
		Read:   s.read,
		Expire: s.expire,
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
			return s.lose(ctx, name, max(0, issued-driver.Token(n)))
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

// runSchedules runs n schedules, a few at a time, each with keys and a counter
// of its own, and sums them by mode.
func runSchedules(t *testing.T, n int, plan func(i int) (fencetest.Plan, bool), check func(fencetest.Plan, fencetest.Result)) map[fencetest.Mode]*sum {
	t.Helper()
	client := newClient(t, sharedServer(t).Addr())
	sums := map[fencetest.Mode]*sum{fencetest.RegisterMode: {}, fencetest.ClaimMode: {}, fencetest.LazyMode: {}, fencetest.Unfenced: {}}
	prefix := newPrefix()
	work := make(chan int)
	var wg sync.WaitGroup
	for range 12 { // more than cores: they wait for the server
		wg.Go(func() {
			for i := range work {
				p, failover := plan(i)
				p.Seed, p.Timeline = uint64(i), true
				p.Name = fmt.Sprintf("%v-%d", p.Mode, i)
				var named []redisfence.Option
				if i%3 == 0 {
					named = append(named, redisfence.WithIssuer("locks"))
				}
				s, err := openStore(client, prefix, p.Name, named...)
				if err != nil {
					t.Error(err)
					continue
				}
				r, err := fencetest.Schedule(context.Background(), world(s, failover), p)
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

// TestSchedules drives the shipped client through random schedules on a real
// server: no strict guard accepts a stale write, loses one or applies one
// twice.
func TestSchedules(t *testing.T) {
	t.Parallel()
	plan := func(i int) (fencetest.Plan, bool) {
		mode := [...]fencetest.Mode{fencetest.RegisterMode, fencetest.ClaimMode}[i%2]
		return fencetest.Plan{Mode: mode, Once: i/2%2 == 0}, i/4%2 == 1
	}
	sums := runSchedules(t, count(t, "FENCE_SCHEDULES", 48), plan, func(p fencetest.Plan, r fencetest.Result) {
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

// TestControlsLose: the same schedules without a guard, and with the lazy form,
// do lose writes, so they can show what they are there to show.
func TestControlsLose(t *testing.T) {
	t.Parallel()
	plan := func(i int) (fencetest.Plan, bool) {
		return fencetest.Plan{Mode: [...]fencetest.Mode{fencetest.LazyMode, fencetest.Unfenced}[i%2]}, false
	}
	sums := runSchedules(t, 2*count(t, "FENCE_CONTROLS", 60), plan, func(fencetest.Plan, fencetest.Result) {})
	for _, mode := range []fencetest.Mode{fencetest.LazyMode, fencetest.Unfenced} {
		t.Logf("%v: %v", mode, sums[mode])
		require.NotZero(t, sums[mode].Lost)
	}
}
