// Command performance measures what fencing costs on Redis: guarded writes
// beside the same writes unguarded, and acquire with release beside other lock
// libraries, all on one server and in turns. It prints a section of
// docs/performance-fence.md, which docs/performance-fence.sh writes.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/fencelint/fencelint/fence/internal/integration/measure"
	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
)

func main() {
	log.SetFlags(0)
	var p measure.Plan
	p.Flags(flag.CommandLine)
	flag.Parse()
	logging.Disable() // dials until the server listens
	server, err := servers.StartShared("--maxclients", "1000")
	if err != nil {
		log.Fatal(err)
	}
	p.Server = server.Pid()
	err = section(context.Background(), server, p)
	server.Stop()
	if err != nil {
		log.Fatal(err)
	}
}

const text = `
## Redis %s

Without persistence. The added round trip is waited for in the client, before
each request is sent. An operation of the locks is an acquisition with its
release, two round trips, on a lock of each client's own. Guarded and plain
writes are the same script, a SET, by EVALSHA; a refused write comes from an
older ownership.
`

func section(ctx context.Context, server *servers.Server, p measure.Plan) error {
	version, err := version(ctx, server.Addr())
	if err != nil {
		return err
	}
	if _, err := fmt.Printf(text, version); err != nil {
		return err
	}
	type forms = func(context.Context, *redis.Client, int) ([]measure.Form, error)
	for _, b := range []struct {
		title string
		forms forms
	}{
		{"Redis: acquire and release", locks},
		{"Redis: guarded writes, one guard for all", func(ctx context.Context, c *redis.Client, n int) ([]measure.Form, error) {
			return writes(ctx, c, n, true)
		}},
		{"Redis: guarded writes, a guard for each client", func(ctx context.Context, c *redis.Client, n int) ([]measure.Form, error) {
			return writes(ctx, c, n, false)
		}},
	} {
		err := p.Write(ctx, os.Stdout, measure.Block{Title: b.title, Forms: func(ctx context.Context, n int, delay time.Duration) ([]measure.Form, func(), error) {
			c := redis.NewClient(options(server.Addr(), n, delay))
			forms, err := b.forms(ctx, c, n)
			return forms, func() { _ = c.Close() }, err
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

func version(ctx context.Context, addr string) (string, error) {
	c := redis.NewClient(options(addr, 1, 0))
	defer c.Close()
	info, err := c.Info(ctx, "server").Result()
	_, rest, _ := strings.Cut(info, "redis_version:")
	version, _, _ := strings.Cut(rest, "\r\n")
	return version, err
}

// options are those of a client with a connection for each of n, that waits
// before it sends.
func options(addr string, n int, delay time.Duration) *redis.Options {
	return &redis.Options{
		Addr: addr, PoolSize: n, MinIdleConns: n,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		Dialer: func(ctx context.Context, network, addr string) (net.Conn, error) {
			var d net.Dialer
			conn, err := d.DialContext(ctx, network, addr)
			if err != nil || delay == 0 {
				return conn, err
			}
			return distant{conn, delay}, nil
		},
	}
}

// distant is a connection to a server that is further away.
type distant struct {
	net.Conn
	delay time.Duration
}

// Write waits and sends.
func (c distant) Write(b []byte) (int, error) {
	time.Sleep(c.delay)
	return c.Conn.Write(b)
}
