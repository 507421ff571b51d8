package measure

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuantiles(t *testing.T) {
	t.Parallel()
	s := &sample{elapsed: 2 * time.Second}
	for i := range 100 {
		s.times = append(s.times, time.Duration(100-i)*time.Microsecond)
	}
	require.InDelta(t, 51, s.p50(), 1e-9)
	require.InDelta(t, 11, s.p10(), 1e-9)
	require.InDelta(t, 50, s.rate(), 1e-9)
}

// TestOrder: in every turn each form has its turn once, and none has the same
// one before it in all of them.
func TestOrder(t *testing.T) {
	t.Parallel()
	for forms := 2; forms <= 8; forms++ {
		before := map[int]map[int]bool{}
		for turn := range 2 * forms {
			all := order(forms, turn)
			require.Len(t, all, forms)
			seen := map[int]bool{}
			for i, f := range all {
				seen[f] = true
				if before[f] == nil {
					before[f] = map[int]bool{}
				}
				if i > 0 {
					before[f][all[i-1]] = true
				}
			}
			require.Len(t, seen, forms)
		}
		if forms > 2 {
			for f, others := range before {
				require.Greater(t, len(others), 1, "form %d of %d", f, forms)
			}
		}
	}
}

// TestWrite measures a form that takes three times as long as the first.
func TestWrite(t *testing.T) {
	t.Parallel()
	var opened, closed atomic.Int64
	pause := func(d time.Duration) func(context.Context, int) error {
		return func(context.Context, int) error {
			time.Sleep(d)
			return nil
		}
	}
	b := Block{Title: "Pauses", Forms: func(_ context.Context, clients int, delay time.Duration) ([]Form, func(), error) {
		opened.Add(1)
		return []Form{{"short", pause(10*time.Millisecond + delay)}, {"long", pause(30*time.Millisecond + 3*delay)}}, func() { closed.Add(1) }, nil
	}}
	var out bytes.Buffer
	p := Plan{Clients: []int{1, 3}, Rounds: 2, Slice: time.Millisecond, Calls: 2, Server: os.Getpid()}
	require.NoError(t, p.Write(t.Context(), &out, b))
	require.EqualValues(t, len(Delays)*len(p.Clients), opened.Load())
	require.Equal(t, opened.Load(), closed.Load())
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")[4:]
	require.Len(t, rows, 2*len(Delays)*len(p.Clients))
	for i, r := range rows {
		cells := strings.Split(r, " | ")
		require.Len(t, cells, 10, r)
		require.Equal(t, i%2 == 0, cells[6] == "1", r)
	}

	results, err := p.run(t.Context(), []Form{{"short", pause(10 * time.Millisecond)}, {"long", pause(30 * time.Millisecond)}}, 1)
	require.NoError(t, err)
	require.Len(t, results[0].rounds, 2)
	for i, short := range results[0].rounds {
		require.Len(t, short.times, 2)
		require.GreaterOrEqual(t, short.p10(), 10e3) // how much longer is the machine's affair
		require.GreaterOrEqual(t, results[1].rounds[i].p10(), 30e3)
	}
}

// TestRatio: the rounds are compared each with its own, so one that was slow for
// all says as much as the others.
func TestRatio(t *testing.T) {
	t.Parallel()
	rounds := func(took ...time.Duration) (r result) {
		for _, d := range took {
			r.rounds = append(r.rounds, &sample{times: []time.Duration{d}, elapsed: d})
		}
		return r
	}
	first := rounds(10, 10, 400, 20, 100)
	second := rounds(20, 30, 800, 60, 900) // twice, 3 times, twice, 3 times, 9 times
	first.name, second.name = "first", "second"
	require.Equal(t, "3.000 [2.00–3.00]", ratio(second, first, (*sample).p50))
	require.Equal(t, "0.333 [0.33–0.50]", ratio(second, first, (*sample).rate))
	require.Equal(t, "1", ratio(first, first, (*sample).p50))
	require.InDelta(t, 2.5, median([]float64{4, 1, 3, 2}), 1e-9)
}

func TestFlags(t *testing.T) {
	t.Parallel()
	var p Plan
	f := flag.NewFlagSet("test", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	p.Flags(f)
	require.Equal(t, []int{1, 16, 64}, p.Clients)
	require.NoError(t, f.Parse([]string{"-clients", "2,8", "-rounds", "3"}))
	require.Equal(t, []int{2, 8}, p.Clients)
	require.Equal(t, 3, p.Rounds)
	for _, wrong := range []string{"", "0", "1,", "many"} {
		require.Error(t, f.Parse([]string{"-clients", wrong}), wrong)
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, clients := range []int{1, 5} {
		_, err := Plan{Rounds: 1, Calls: 1, Server: os.Getpid()}.run(t.Context(), []Form{{"form", func(context.Context, int) error { return broken }}}, clients)
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, "form")
	}
	_, err := taken(1 << 30)
	require.Error(t, err)
}
