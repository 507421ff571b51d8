// Command performance measures what fencing costs on Redis and writes
// docs/performance-fence-redis.md: guarded writes beside the same writes
// unguarded, and acquire with release beside other lock libraries, all on one
// server and in turns.
//
//	go run ./performance -o ../../../../docs/performance-fence-redis.md
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
)

var (
	out    = flag.String("o", "", "file to write; the standard output if empty")
	rounds = flag.Int("rounds", 40, "rounds; each runs every contender once, in another order")
	slice  = flag.Duration("slice", 100*time.Millisecond, "how long a contender runs in a round")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	logging.Disable() // dials until the server listens
	server, err := servers.StartShared("--maxclients", "1000")
	if err != nil {
		log.Fatal(err)
	}
	text, err := report(context.Background(), server)
	server.Stop()
	if err != nil {
		log.Fatal(err)
	}
	if *out == "" {
		_, err = os.Stdout.Write(text)
	} else {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// delays are the round trips that are added to what loopback takes.
var delays = []time.Duration{0, time.Millisecond}

var clients = []int{1, 16, 64}

func report(ctx context.Context, server *servers.Server) ([]byte, error) {
	var b bytes.Buffer
	if err := header(ctx, &b, server); err != nil {
		return nil, err
	}
	for _, s := range []struct {
		name string
		make func(context.Context, *redis.Client, int) ([]contender, error)
	}{
		{locksName, locks},
		{"Guarded writes, one guard for all", func(ctx context.Context, c *redis.Client, n int) ([]contender, error) {
			return writes(ctx, c, n, true)
		}},
		{"Guarded writes, a guard for each client", func(ctx context.Context, c *redis.Client, n int) ([]contender, error) {
			return writes(ctx, c, n, false)
		}},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| added round trip | clients | form | per second | to the first | p50 | to the first | p10 | to the first | CPU, server + client |\n|-|-|-|-|-|-|-|-|-|-|\n", s.name)
		for _, delay := range delays {
			for _, n := range clients {
				client := redis.NewClient(options(server.Addr(), n, delay))
				contenders, err := s.make(ctx, client, n)
				if err == nil {
					var results [][]sample
					if results, err = measure(ctx, client, n, contenders); err == nil {
						rows(&b, delay, n, contenders, results)
					}
				}
				_ = client.Close()
				if err != nil {
					return nil, fmt.Errorf("%s, %d clients: %w", s.name, n, err)
				}
				log.Printf("%s, %v, %d clients: done", s.name, delay, n)
			}
		}
	}
	return b.Bytes(), nil
}
