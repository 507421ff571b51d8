package measure

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Delays are the round trips that every table adds to what loopback takes.
var Delays = []time.Duration{0, time.Millisecond}

// A Block is one table. The first form is what the others are compared with.
type Block struct {
	Title string

	// Forms opens what some clients need, at a delay of a round trip, and close
	// ends it.
	Forms func(ctx context.Context, clients int, delay time.Duration) (forms []Form, close func(), err error)
}

// Write measures the block at each delay with each number of clients.
func (p Plan) Write(ctx context.Context, w io.Writer, b Block) error {
	fmt.Fprintf(w, "\n### %s\n\n| added round trip | clients | form | per second | to the first | p50 | to the first | p10 | to the first | CPU, server + client |\n|-|-|-|-|-|-|-|-|-|-|\n", b.Title)
	for _, delay := range Delays {
		for _, n := range p.Clients {
			results, err := p.cell(ctx, b, n, delay)
			if err != nil {
				return fmt.Errorf("%s, %v, %d clients: %w", b.Title, delay, n, err)
			}
			for _, r := range results {
				if _, err := io.WriteString(w, row(delay, n, r, results[0])); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p Plan) cell(ctx context.Context, b Block, clients int, delay time.Duration) ([]result, error) {
	forms, end, err := b.Forms(ctx, clients, delay)
	if err != nil {
		return nil, err
	}
	defer end()
	return p.run(ctx, forms, clients)
}

func row(delay time.Duration, clients int, r, first result) string {
	cells := []string{delay.String(), fmt.Sprint(clients), r.name}
	for _, figure := range []struct {
		of   func(*sample) float64
		unit string
	}{{(*sample).rate, ""}, {(*sample).p50, " µs"}, {(*sample).p10, " µs"}} {
		cells = append(cells, fmt.Sprintf("%.0f%s", median(r.each(figure.of)), figure.unit), ratio(r, first, figure.of))
	}
	return "| " + strings.Join(append(cells, r.processors()), " | ") + " |\n"
}

// ratio is the median of the rounds' own ratios, and their quartiles: a round
// that was disturbed does not count more than others.
func ratio(r, first result, of func(*sample) float64) string {
	if r.name == first.name {
		return "1"
	}
	x := r.each(of)
	for i, base := range first.each(of) {
		x[i] /= base
	}
	slices.Sort(x)
	return fmt.Sprintf("%.3f [%.2f–%.2f]", median(x), x[len(x)/4], x[len(x)*3/4])
}

func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// processors is the time that both sides took for one call.
func (r *result) processors() string {
	var server, client time.Duration
	var calls int
	for _, s := range r.rounds {
		server, client, calls = server+s.server, client+s.client, calls+len(s.times)
	}
	if server == 0 {
		return "–"
	}
	each := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(calls) }
	return fmt.Sprintf("%.0f + %.0f µs", each(server), each(client))
}
