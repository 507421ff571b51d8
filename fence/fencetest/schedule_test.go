package fencetest_test

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/memfence"
)

var (
	schedules = flag.Int("schedules", 2000, "number of random schedules in TestSchedules")
	firstSeed = flag.Uint64("seed", 1, "seed of the first schedule; the others count on from it")
)

// memoryWorld is a new lock service and a new store.
func memoryWorld(opts ...memfence.LocksOption) fencetest.World {
	l, s := memfence.NewLocks(opts...), memfence.NewStore()
	return fencetest.World{
		Locker: l,
		Guard:  s,
		Write: func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			if g == (driver.Grant{}) {
				return s.PutUnfenced(ctx, key, value)
			}
			return s.Put(ctx, g, key, value, opts...)
		},
		Read:   s.Get,
		Expire: func(_ context.Context, name string) error { l.Expire(name); return nil },
	}
}

func withFailover(w fencetest.World) fencetest.World {
	l := w.Locker.(*memfence.Locks)
	w.Failover = func(ctx context.Context, name string, n int) error {
		issued, err := l.Issued(ctx, name)
		l.Lose(name, issued-driver.Token(n))
		return err
	}
	return w
}

// twoServices is a lock service that fails over to another one with an issuer of
// its own, and back: holders of both are alive at the same time.
type twoServices struct {
	*memfence.Locks // the present one
	other           *memfence.Locks
}

func changingIssuer() fencetest.World {
	w := memoryWorld()
	l := &twoServices{w.Locker.(*memfence.Locks), memfence.NewLocks(memfence.WithIssuer("other"))}
	w.Locker = l
	w.Expire = func(_ context.Context, name string) error {
		l.Expire(name)
		l.other.Expire(name)
		return nil
	}
	w.Failover = func(context.Context, string, int) error {
		l.Locks, l.other = l.other, l.Locks
		return nil
	}
	return w
}

// A kind is a world and a mode in which nothing may be lost.
type kind struct {
	name  string
	mode  fencetest.Mode
	once  bool
	world func() fencetest.World
}

var soundKinds = []kind{
	{"register", fencetest.RegisterMode, false, func() fencetest.World { return memoryWorld() }},
	{"register once", fencetest.RegisterMode, true, func() fencetest.World { return memoryWorld() }},
	{"register failover", fencetest.RegisterMode, false, func() fencetest.World { return withFailover(memoryWorld()) }},
	{"register failover once", fencetest.RegisterMode, true, func() fencetest.World { return withFailover(memoryWorld()) }},
	{"register issuers", fencetest.RegisterMode, false, changingIssuer},
	{"register issuers once", fencetest.RegisterMode, true, changingIssuer},
	{"claim", fencetest.ClaimMode, false, func() fencetest.World { return memoryWorld() }},
	{"claim once", fencetest.ClaimMode, true, func() fencetest.World { return memoryWorld() }},
	{"claim unordered", fencetest.ClaimMode, true, func() fencetest.World { return memoryWorld(memfence.Unordered()) }},
	{"claim failover", fencetest.ClaimMode, true, func() fencetest.World { return withFailover(memoryWorld()) }},
}

func counts(r fencetest.Result) string {
	r.Timeline = nil
	return strings.Replace(fmt.Sprintf("%+v", r), " Timeline:[]", "", 1)
}

// TestSchedules is the proof by search: no schedule makes a strict guard accept
// a stale write or lose one. For a long run:
//
//	go test ./fencetest -run TestSchedules -schedules 1000000 -timeout 1h -v
func TestSchedules(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	totals := make([]fencetest.Result, len(soundKinds))
	var wg sync.WaitGroup
	shards := runtime.GOMAXPROCS(0)
	for shard := range shards {
		wg.Go(func() {
			sums := make([]fencetest.Result, len(soundKinds))
			for i := shard; i < *schedules && !t.Failed(); i += shards {
				k := i % len(soundKinds)
				sums[k].Add(runSound(t, soundKinds[k], *firstSeed+uint64(i)))
			}
			mu.Lock()
			defer mu.Unlock()
			for k := range sums {
				totals[k].Add(sums[k])
			}
		})
	}
	wg.Wait()
	for k, total := range totals {
		t.Logf("%-24s %s", soundKinds[k].name, counts(total))
		if total.Refused == 0 || total.Uncertain == 0 || total.Accepted == 0 {
			t.Errorf("%s: the schedules show nothing: %s", soundKinds[k].name, counts(total))
		}
		if soundKinds[k].once && total.Resolved == 0 {
			t.Errorf("%s: no uncertain write was resolved", soundKinds[k].name)
		}
	}
}

func runSound(t *testing.T, k kind, seed uint64) fencetest.Result {
	plan := fencetest.Plan{Seed: seed, Mode: k.mode, Name: "job", Once: k.once}
	r, err := fencetest.Schedule(context.Background(), k.world(), plan)
	if err != nil {
		t.Errorf("%s: %v", k.name, err)
	}
	if r.Stale+r.Lost+r.Twice > 0 {
		plan.Timeline = true
		again, _ := fencetest.Schedule(context.Background(), k.world(), plan)
		t.Errorf("%s, seed %d: %s\n%s", k.name, seed, counts(r), strings.Join(again.Timeline, "\n"))
	}
	return r
}

// TestControlsLose shows that the schedules can find what they look for.
func TestControlsLose(t *testing.T) {
	t.Parallel()
	for _, mode := range []fencetest.Mode{fencetest.LazyMode, fencetest.Unfenced} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			var total fencetest.Result
			for i := range 500 {
				plan := fencetest.Plan{Seed: *firstSeed + uint64(i), Mode: mode, Name: "job"}
				r, err := fencetest.Schedule(t.Context(), memoryWorld(), plan)
				if err != nil {
					t.Fatal(err)
				}
				total.Add(r)
			}
			t.Log(counts(total))
			if total.Lost == 0 || total.Stale == 0 {
				t.Errorf("the control loses nothing: %s", counts(total))
			}
		})
	}
}

func TestScheduleIsDeterministic(t *testing.T) {
	t.Parallel()
	for _, k := range soundKinds {
		plan := fencetest.Plan{Seed: 7, Mode: k.mode, Name: "job", Once: k.once, Timeline: true, Steps: 200}
		a, errA := fencetest.Schedule(t.Context(), k.world(), plan)
		b, errB := fencetest.Schedule(t.Context(), k.world(), plan)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two runs of one plan differ", k.name)
		}
		plan.Seed = 8
		c, _ := fencetest.Schedule(t.Context(), k.world(), plan)
		if reflect.DeepEqual(a.Timeline, c.Timeline) {
			t.Errorf("%s: two seeds give one run", k.name)
		}
	}
}

// TestSchedulesFindBrokenGuards breaks the guard and wants the search to notice.
func TestSchedulesFindBrokenGuards(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"register, last wins", "worker-side compare", "mark after commit", "request ignored",
		"no check", "change before check",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range 4000 {
				k := soundKinds[i%len(soundKinds)]
				w := withFailover(memoryWorld())
				if k.world().Failover == nil {
					w.Failover = nil
				}
				h := &fencetest.GuardHarness{Guard: w.Guard, Write: w.Write}
				guardMutants[name].breaks(h, w.Guard.(*memfence.Store))
				w.Guard, w.Write = h.Guard, h.Write
				r, err := fencetest.Schedule(t.Context(), w, fencetest.Plan{Seed: uint64(i), Mode: k.mode, Name: "job", Once: k.once})
				if r.Stale+r.Lost+r.Twice > 0 {
					t.Logf("noticed in schedule %d: %s", i+1, counts(r))
					return
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			t.Error("not noticed")
		})
	}
}
