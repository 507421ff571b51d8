package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
	"github.com/redis/go-redis/v9"
)

func header(ctx context.Context, w io.Writer, server *servers.Server) error {
	c := redis.NewClient(options(server.Addr(), 1, 0))
	defer c.Close()
	info, err := c.Info(ctx, "server").Result()
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(info, "redis_version:")
	version, _, _ := strings.Cut(rest, "\r\n")
	_, err = fmt.Fprintf(w, `# What fencing costs on Redis

Written by

    go -C fence/redisfence/internal/integration run ./performance -o ../../../../docs/performance-fence-redis.md

on Redis %s without persistence, %s, %d cores that server and clients share.

Every row of a block ran on the same server through the same client, in turns: %d
rounds of %v each, every round in another order. One client alone changes the
form after every operation, %d operations of each in a round. Each client asks,
waits for the answer and asks again.

Figures are of all rounds together; in brackets are the quartiles of the rounds'
own ratios, which tell how far to trust them: the machine did other work, at a
load of %s when this began. What slows it for a while slows all rows of a block,
so look at the ratios. If that load is far above the number of cores, rates and
p50 say little: take p10 of one client, and the CPU, and run the command again on
a quiet machine. p10 is of the operations that little else delayed. The
added round trip is waited for in the client, before each request is sent. CPU is
what the server process and the measuring process took, divided by the
operations; where all cores are busy, it is what limits the rate.

An operation of the locks is an acquisition with its release, two round trips,
on a lock of each client's own. Guarded and plain writes are the same script,
a SET, by EVALSHA; a refused write comes from an older ownership.
`, version, runtime.Version(), runtime.NumCPU(), *rounds, *slice, operations, load())
	return err
}

func rows(w io.Writer, delay time.Duration, clients int, contenders []contender, results [][]sample) {
	first := pool(results[0])
	for i, c := range contenders {
		all := pool(results[i])
		against := func(of func(sample) float64) string {
			if i == 0 {
				return "1"
			}
			return fmt.Sprintf("%.3f %s", of(all)/of(first), quartiles(results[i], results[0], of))
		}
		processors := "–"
		if all.server > 0 {
			n := float64(len(all.times))
			processors = fmt.Sprintf("%.0f + %.0f µs", all.server.Seconds()*1e6/n, all.client.Seconds()*1e6/n)
		}
		fmt.Fprintf(w, "| %v | %d | %s | %.0f | %s | %.0f µs | %s | %.0f µs | %s | %s |\n", delay, clients, c.name,
			all.rate(), against(sample.rate), all.p50(), against(sample.p50), all.p10(), against(sample.p10), processors)
	}
}

// load is what the kernel says of the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}
