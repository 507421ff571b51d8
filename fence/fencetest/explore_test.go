package fencetest_test

import (
	"flag"
	"testing"

	"github.com/fencelint/fencelint/fence/fencetest"
)

var faults = flag.Int("faults", 1, "most faults in one run of TestExplore; 2 gives some 400,000 runs")

// TestExplore is the proof by exhaustion, for two workers.
func TestExplore(t *testing.T) {
	t.Parallel()
	worlds := map[string]func() fencetest.World{
		"failover": func() fencetest.World { return withFailover(memoryWorld()) },
	}
	for name, world := range worlds {
		for _, mode := range []fencetest.Mode{fencetest.RegisterMode, fencetest.ClaimMode} {
			t.Run(name+" "+mode.String(), func(t *testing.T) {
				t.Parallel()
				e, err := fencetest.Explore(t.Context(), world, mode, *faults)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d runs: %s", e.Runs, counts(e.Result))
				if e.Stale+e.Lost+e.Twice > 0 {
					t.Errorf("%s\n%v", counts(e.Result), e)
				}
				if e.Refused == 0 || e.Uncertain == 0 {
					t.Errorf("the exploration shows nothing: %s", counts(e.Result))
				}
			})
		}
	}
}

// One lease that ends is enough to lose an update without a strict guard.
func TestExploreControls(t *testing.T) {
	t.Parallel()
	for _, mode := range []fencetest.Mode{fencetest.LazyMode, fencetest.Unfenced} {
		e, err := fencetest.Explore(t.Context(), func() fencetest.World { return memoryWorld() }, mode, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %d runs: %s", mode, e.Runs, counts(e.Result))
		if e.Lost == 0 {
			t.Errorf("%v loses nothing", mode)
		} else {
			t.Logf("the first loss:\n%v", e)
		}
	}
}
