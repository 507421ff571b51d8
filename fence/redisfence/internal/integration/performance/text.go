package main

import (
	"context"
	"fmt"
	"io"
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

Every row of a block ran on the same server through the same client, in turns:
%d rounds of %v each, every round in another order; one client alone in five
times as many that are a fifth as long. Each client asks, waits for the answer
and asks again. Figures are of all rounds together; in brackets are
the quartiles of the rounds' own ratios, which tell how far to trust them. What
slows the machine for a while slows all rows of a block. The added round trip is
waited for in the client, before each request is sent. Look at the ratios: the
times are those of one machine that did other work too. CPU is what the server
process and the measuring process took, divided by the operations; where all
cores are busy, it is what limits the rate.

An operation of the locks is an acquisition with its release, two round trips,
on a lock of each client's own. Guarded and plain writes are the same script,
a SET, by EVALSHA; a refused write comes from an older ownership.
`, version, runtime.Version(), runtime.NumCPU(), *rounds, *slice)
	return err
}

func rows(w io.Writer, delay time.Duration, clients int, contenders []contender, results [][]sample) {
	first := pool(results[0])
	for i, c := range contenders {
		all := pool(results[i])
		rates, p50s := "1", "1"
		if i > 0 {
			rates = fmt.Sprintf("%.3f %s", all.rate()/first.rate(), quartiles(results[i], results[0], sample.rate))
			p50s = fmt.Sprintf("%.3f %s", all.p50().Seconds()/first.p50().Seconds(),
				quartiles(results[i], results[0], func(s sample) float64 { return s.p50().Seconds() }))
		}
		n, micro := float64(len(all.times)), func(d time.Duration) float64 { return d.Seconds() * 1e6 }
		fmt.Fprintf(w, "| %v | %d | %s | %.0f | %s | %.0f µs | %s | %.1f + %.1f µs |\n", delay, clients, c.name,
			all.rate(), rates, micro(all.p50()), p50s, micro(all.server)/n, micro(all.client)/n)
	}
}
