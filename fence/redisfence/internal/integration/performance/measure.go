package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// A contender is one way to do an operation.
type contender struct {
	name string
	do   func(ctx context.Context, client int) error
}

// A sample is one contender in one round.
type sample struct {
	times   []time.Duration // of each operation
	elapsed time.Duration
	server  time.Duration // what the server process took
	client  time.Duration // what this process took
}

func (s sample) rate() float64 { return float64(len(s.times)) / s.elapsed.Seconds() }

// quantile sorts the times.
func (s sample) quantile(q float64) time.Duration {
	slices.Sort(s.times)
	return s.times[int(q*float64(len(s.times)))]
}

func (s sample) p50() float64 { return s.quantile(0.5).Seconds() * 1e6 }
func (s sample) p10() float64 { return s.quantile(0.1).Seconds() * 1e6 }

// pool puts the rounds of one contender together.
func pool(samples []sample) sample {
	var all sample
	for _, s := range samples {
		all.times = append(all.times, s.times...)
		all.elapsed += s.elapsed
		all.server += s.server
		all.client += s.client
	}
	return all
}

// measure gives the samples of each contender, by round.
func measure(ctx context.Context, c *redis.Client, clients int, contenders []contender) ([][]sample, error) {
	n, turn := *rounds, *slice
	if clients == 1 {
		return inTurns(ctx, contenders, n)
	}
	results := make([][]sample, len(contenders))
	for i := range contenders { // connections, scripts, caches
		if _, err := run(ctx, c, clients, contenders[i], turn); err != nil {
			return nil, err
		}
		results[i] = make([]sample, n)
	}
	for r := range n {
		for j := range contenders {
			i := (r + j) % len(contenders)
			if r%2 == 1 { // so that nobody always follows the same one
				i = len(contenders) - 1 - i
			}
			s, err := run(ctx, c, clients, contenders[i], turn)
			if err != nil {
				return nil, err
			}
			results[i][r] = s
		}
	}
	return results, nil
}

// operations are what one client alone does in a round.
const operations = 25

// inTurns changes the contender after each operation: what one client waits for
// is not measured at another time for one form than for the other.
func inTurns(ctx context.Context, contenders []contender, rounds int) ([][]sample, error) {
	results := make([][]sample, len(contenders))
	for i := range results {
		results[i] = make([]sample, rounds)
	}
	for r := -1; r < rounds; r++ { // the first warms up
		for o := range operations {
			for j := range contenders {
				i := (r + 1 + o + j) % len(contenders)
				begin := time.Now()
				if err := contenders[i].do(ctx, 0); err != nil {
					return nil, fmt.Errorf("%s: %w", contenders[i].name, err)
				}
				if d := time.Since(begin); r >= 0 {
					results[i][r].times = append(results[i][r].times, d)
					results[i][r].elapsed += d
				}
			}
		}
	}
	return results, nil
}

func run(ctx context.Context, c *redis.Client, clients int, who contender, d time.Duration) (sample, error) {
	before, err := serverCPU(ctx, c)
	if err != nil {
		return sample{}, err
	}
	own := ownCPU()
	times, errs := make([][]time.Duration, clients), make([]error, clients)
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for last := time.Now(); ; { // once at least
				if errs[i] = who.do(ctx, i); errs[i] != nil {
					return
				}
				now := time.Now()
				times[i] = append(times[i], now.Sub(last))
				if last = now; now.Sub(begin) >= d {
					return
				}
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(begin)
	own = ownCPU() - own
	for _, err := range errs {
		if err != nil {
			return sample{}, fmt.Errorf("%s: %w", who.name, err)
		}
	}
	after, err := serverCPU(ctx, c)
	if err != nil {
		return sample{}, err
	}
	return sample{times: slices.Concat(times...), elapsed: elapsed, server: after - before, client: own}, nil
}

// ownCPU is what this process has taken so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// serverCPU is what the server process has taken so far.
func serverCPU(ctx context.Context, c *redis.Client) (time.Duration, error) {
	info, err := c.Info(ctx, "cpu").Result()
	if err != nil {
		return 0, err
	}
	var sum float64
	for _, field := range []string{"used_cpu_user:", "used_cpu_sys:"} {
		_, rest, _ := strings.Cut(info, field)
		value, _, _ := strings.Cut(rest, "\r\n")
		seconds, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, fmt.Errorf("%s %w", field, err)
		}
		sum += seconds
	}
	return time.Duration(sum * float64(time.Second)), nil
}

// quartiles compares round by round.
func quartiles(a, b []sample, of func(sample) float64) string {
	x := make([]float64, len(a))
	for i := range x {
		x[i] = of(a[i]) / of(b[i])
	}
	slices.Sort(x)
	return fmt.Sprintf("[%.2f–%.2f]", x[len(x)/4], x[len(x)*3/4])
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
