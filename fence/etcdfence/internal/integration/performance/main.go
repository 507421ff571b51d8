// Command performance measures what package etcdfence costs beside what it
// replaces, on a real etcd, and prints a page of Markdown:
//
//	go run ./fence/etcdfence/internal/integration/performance > docs/performance-fence-etcd.md
//
// Forms that are compared take turns, call by call or run by run, and share
// one client and one server.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/cluster"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/wire"
)

func main() {
	calls := flag.Int("calls", 1500, "calls of each form where latency is measured")
	span := flag.Duration("span", time.Second, "length of one run where throughput is measured")
	runs := flag.Int("runs", 3, "runs of each form where throughput is measured; the median counts")
	fsync := flag.Bool("fsync", false, "let etcd wait for the disk, whose time then outweighs all differences")
	flag.Parse()
	if err := run(context.Background(), page{calls: *calls, span: *span, runs: *runs, fsync: *fsync}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, p page) error {
	b, err := cluster.Built()
	if err != nil {
		return err
	}
	defer cluster.Remove()
	if p.version, err = b.Version(); err != nil {
		return err
	}
	if !p.fsync {
		b = b.Quick()
	}
	c, err := cluster.Start(b, 1)
	if err != nil {
		return err
	}
	defer c.Stop()
	for _, delay := range []time.Duration{0, time.Millisecond} {
		proxy, err := wire.Start(c.Endpoints()[0], delay)
		if err != nil {
			return err
		}
		client, err := cluster.NewClient(proxy.Address())
		if err != nil {
			return err
		}
		f, err := newForms(ctx, client)
		if err != nil {
			return err
		}
		s := section{delay: delay, clients: []int{1, 16, 64}}
		if s.writes, err = latencies(ctx, f.writes(), p.calls); err != nil {
			return err
		}
		if s.locks, err = latencies(ctx, f.locks(), p.calls/3); err != nil {
			return err
		}
		for _, n := range s.clients {
			rates, err := throughputs(ctx, f.writes(), n, p.span, p.runs)
			if err != nil {
				return err
			}
			s.rates = append(s.rates, rates)
		}
		p.sections = append(p.sections, s)
		if err := client.Close(); err != nil {
			return err
		}
		proxy.Close()
	}
	_, err = os.Stdout.WriteString(p.text())
	return err
}
