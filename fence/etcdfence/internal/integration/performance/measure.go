package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A latency is how long the calls of one form took.
type latency struct {
	name          string
	p10, p50, p99 time.Duration
}

// latencies lets one caller use the forms in turn. The first tenth warms up.
func latencies(ctx context.Context, forms []form, calls int) ([]latency, error) {
	took := make([][]time.Duration, len(forms))
	for n := range calls + calls/10 {
		for i := range forms {
			at := (i + n) % len(forms) // none is always behind the same
			begin := time.Now()
			if err := forms[at].do(ctx, 0); err != nil {
				return nil, fmt.Errorf("%s: %w", forms[at].name, err)
			}
			if n >= calls/10 {
				took[at] = append(took[at], time.Since(begin))
			}
		}
	}
	var all []latency
	for i, f := range forms {
		slices.Sort(took[i])
		all = append(all, latency{f.name, took[i][len(took[i])/10], took[i][len(took[i])/2], took[i][len(took[i])*99/100]})
	}
	return all, nil
}

// throughputs gives calls a second of each form with n callers at once: the
// median of some runs, in which the forms take turns.
func throughputs(ctx context.Context, forms []form, n int, span time.Duration, runs int) ([]float64, error) {
	rates := make([][]float64, len(forms))
	for range runs {
		for i, f := range forms {
			rate, err := throughput(ctx, f, n, span)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			rates[i] = append(rates[i], rate)
		}
	}
	var medians []float64
	for _, r := range rates {
		slices.Sort(r)
		medians = append(medians, r[len(r)/2])
	}
	return medians, nil
}

func throughput(ctx context.Context, f form, n int, span time.Duration) (float64, error) {
	var calls atomic.Int64
	var once sync.Once
	var failed error
	var wg sync.WaitGroup
	begin := time.Now()
	for caller := range n {
		wg.Go(func() {
			for time.Since(begin) < span {
				if err := f.do(ctx, caller); err != nil {
					once.Do(func() { failed = err })
					return
				}
				calls.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(calls.Load()) / time.Since(begin).Seconds(), failed
}
