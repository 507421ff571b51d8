package measure

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Form is one way to do something.
type Form struct {
	Name string

	// Do is called by each client with its number, from zero, one call after the
	// other.
	Do func(ctx context.Context, client int) error
}

// A Plan says how long to measure.
type Plan struct {
	Clients []int // numbers of clients that each table has

	Rounds int           // each lets every form run, in another order
	Slice  time.Duration // how long a form runs in a round with several clients
	Calls  int           // how often it is called in a round with one client

	Server int // process id of the server, to tell what it takes
}

// Flags lets the command line say with how many clients, and how long.
func (p *Plan) Flags(f *flag.FlagSet) {
	p.Clients = []int{1, 16, 64}
	f.Func("clients", "numbers of clients, as in 1,16,64", func(text string) error {
		p.Clients = nil
		for word := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number of clients", word)
			}
			p.Clients = append(p.Clients, n)
		}
		return nil
	})
	f.IntVar(&p.Rounds, "rounds", 20, "rounds; each lets every form run, in another order")
	f.DurationVar(&p.Slice, "slice", 50*time.Millisecond, "how long a form runs in a round with several clients")
	f.IntVar(&p.Calls, "calls", 50, "how often a form is called in a round with one client, form by form in turn")
}

// A sample is one form in one round.
type sample struct {
	times          []time.Duration // of each call
	elapsed        time.Duration
	server, client time.Duration // processor time of both sides
}

func (s *sample) rate() float64 { return float64(len(s.times)) / s.elapsed.Seconds() }
func (s *sample) p50() float64  { return s.quantile(0.5) }
func (s *sample) p10() float64  { return s.quantile(0.1) }

// quantile is in microseconds. It sorts the times.
func (s *sample) quantile(q float64) float64 {
	slices.Sort(s.times)
	return s.times[int(q*float64(len(s.times)))].Seconds() * 1e6
}

// A result is one form in all rounds.
type result struct {
	name   string
	rounds []*sample
}

// each gives a figure of every round.
func (r *result) each(of func(*sample) float64) []float64 {
	all := make([]float64, len(r.rounds))
	for i, s := range r.rounds {
		all[i] = of(s)
	}
	return all
}

// run measures all forms with a number of clients.
func (p Plan) run(ctx context.Context, forms []Form, clients int) ([]result, error) {
	results := make([]result, len(forms))
	for i, f := range forms {
		results[i].name = f.Name
	}
	for round := -1; round < p.Rounds; round++ { // the first opens connections and fills caches
		samples, err := p.round(ctx, forms, clients, round+1)
		if err != nil {
			return nil, err
		}
		for i, s := range samples {
			if round >= 0 {
				results[i].rounds = append(results[i].rounds, s)
			}
		}
	}
	return results, nil
}

func (p Plan) round(ctx context.Context, forms []Form, clients, round int) ([]*sample, error) {
	samples := make([]*sample, len(forms))
	for i := range samples {
		samples[i] = new(sample)
	}
	if clients > 1 {
		for _, i := range order(len(forms), round) {
			if err := p.together(ctx, forms[i], clients, samples[i]); err != nil {
				return nil, err
			}
		}
		return samples, nil
	}
	for call := range p.Calls {
		for _, i := range order(len(forms), round+call) {
			begin := time.Now()
			if err := forms[i].Do(ctx, 0); err != nil {
				return nil, fmt.Errorf("%s: %w", forms[i].Name, err)
			}
			took := time.Since(begin)
			samples[i].times = append(samples[i].times, took)
			samples[i].elapsed += took
		}
	}
	return samples, nil
}

// order is that of turn number turn. No form always follows the same one.
func order(forms, turn int) []int {
	all := make([]int, forms)
	for i := range all {
		all[i] = (turn + i) % forms
	}
	if turn%2 == 1 {
		slices.Reverse(all)
	}
	return all
}

// together lets clients call one form at the same time, each once at least.
func (p Plan) together(ctx context.Context, f Form, clients int, s *sample) error {
	server, own, err := p.processors()
	if err != nil {
		return err
	}
	times, errs := make([][]time.Duration, clients), make([]error, clients)
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for last := begin; ; {
				if errs[i] = f.Do(ctx, i); errs[i] != nil {
					return
				}
				now := time.Now()
				times[i] = append(times[i], now.Sub(last))
				if last = now; now.Sub(begin) >= p.Slice {
					return
				}
			}
		})
	}
	wg.Wait()
	s.elapsed = time.Since(begin)
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	s.times = slices.Concat(times...)
	serverNow, ownNow, err := p.processors()
	s.server, s.client = serverNow-server, ownNow-own
	return err
}
