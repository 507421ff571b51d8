// Command performance measures what package etcdfence costs beside what it
// replaces, on one real etcd and in turns. It prints a section of
// docs/performance-fence.md, which docs/performance-fence.sh writes.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/cluster"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/wire"
	"github.com/fencelint/fencelint/fence/internal/integration/measure"
)

func main() {
	log.SetFlags(0)
	var p measure.Plan
	p.Flags(flag.CommandLine)
	fsync := flag.Bool("fsync", false, "let etcd wait for the disk, whose time then outweighs all differences")
	flag.Parse()
	if err := run(context.Background(), p, *fsync); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, p measure.Plan, fsync bool) error {
	b, err := cluster.Built()
	if err != nil {
		return err
	}
	defer cluster.Remove()
	if !fsync {
		b = b.Quick()
	}
	c, err := cluster.Start(b, 1)
	if err != nil {
		return err
	}
	defer c.Stop()
	p.Server = c.Members[0].Pid()
	return section(ctx, b, c, p, fsync)
}

const text = `
## etcd %s

One member, which %s for its disk. The added round trip is in a
proxy, half of it each way; with several clients all share one connection, as
etcd's client does. All writes put the same small value. A Txn is a transaction
that compares nothing: the same request as a fenced one, without its fence. An
operation of the locks is an acquisition with its release.

A Locker takes a lease for each lock, so that it ends by itself and alone: grant,
transaction, transaction, and a revocation that nobody waits for. A session for
each Mutex is the like of it. One session for all locks of a process is cheaper,
and ends them all together; OfMutex fences it as it is.
`

func section(ctx context.Context, b cluster.Binary, c *cluster.Cluster, p measure.Plan, fsync bool) error {
	version, err := b.Version()
	if err != nil {
		return err
	}
	waits := "does not wait"
	if fsync {
		waits = "waits"
	}
	if _, err := fmt.Printf(text, version, waits); err != nil {
		return err
	}
	for _, block := range []struct {
		title string
		forms func(*forms) []measure.Form
	}{
		{"etcd: acquire and release", (*forms).locks},
		{"etcd: fenced writes, one guard for all", (*forms).hotWrites},
		{"etcd: fenced writes, a guard for each client", (*forms).spreadWrites},
	} {
		err := p.Write(ctx, os.Stdout, measure.Block{Title: block.title, Forms: func(ctx context.Context, n int, delay time.Duration) ([]measure.Form, func(), error) {
			f, end, err := open(ctx, c.Endpoints()[0], n, delay)
			if err != nil {
				return nil, nil, err
			}
			return block.forms(f), end, nil
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// open makes forms on a client of their own.
func open(ctx context.Context, address string, clients int, delay time.Duration) (*forms, func(), error) {
	end := func() {}
	if delay > 0 {
		proxy, err := wire.Start(address, delay)
		if err != nil {
			return nil, nil, err
		}
		address, end = proxy.Address(), proxy.Close
	}
	client, err := cluster.NewClient(address)
	if err != nil {
		end()
		return nil, nil, err
	}
	shut := func() {
		_ = client.Close()
		end()
	}
	f, err := newForms(ctx, client, clients)
	if err != nil {
		shut()
	}
	return f, shut, err
}
