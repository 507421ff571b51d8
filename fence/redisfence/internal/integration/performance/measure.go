package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	rate float64 // operations a second, of all clients
	p50  time.Duration
	cpu  time.Duration // of the server, an operation
}

// measure gives the samples of each contender, by round.
func measure(ctx context.Context, c *redis.Client, clients int, contenders []contender) ([][]sample, error) {
	results := make([][]sample, len(contenders))
	for i := range contenders { // connections, scripts, caches
		if _, err := run(ctx, c, clients, contenders[i], *slice/4); err != nil {
			return nil, err
		}
		results[i] = make([]sample, *rounds)
	}
	for r := range *rounds {
		for j := range contenders {
			i := (r + j) % len(contenders)
			if r%2 == 1 { // so that nobody always follows the same one
				i = len(contenders) - 1 - i
			}
			s, err := run(ctx, c, clients, contenders[i], *slice)
			if err != nil {
				return nil, err
			}
			results[i][r] = s
		}
	}
	return results, nil
}

func run(ctx context.Context, c *redis.Client, clients int, who contender, d time.Duration) (sample, error) {
	before, err := cpu(ctx, c)
	if err != nil {
		return sample{}, err
	}
	times, errs := make([][]time.Duration, clients), make([]error, clients)
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for last := time.Now(); last.Sub(begin) < d; {
				if errs[i] = who.do(ctx, i); errs[i] != nil {
					return
				}
				now := time.Now()
				times[i] = append(times[i], now.Sub(last))
				last = now
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(begin)
	for _, err := range errs {
		if err != nil {
			return sample{}, fmt.Errorf("%s: %w", who.name, err)
		}
	}
	after, err := cpu(ctx, c)
	if err != nil {
		return sample{}, err
	}
	all := slices.Concat(times...)
	slices.Sort(all)
	n := len(all)
	return sample{rate: float64(n) / elapsed.Seconds(), p50: all[n/2], cpu: (after - before) / time.Duration(n)}, nil
}

// cpu is what the server process has taken so far.
func cpu(ctx context.Context, c *redis.Client) (time.Duration, error) {
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

func values(samples []sample, of func(sample) float64) []float64 {
	var v []float64
	for _, s := range samples {
		v = append(v, of(s))
	}
	return v
}

func median(samples []sample, of func(sample) float64) float64 {
	v := values(samples, of)
	slices.Sort(v)
	return v[len(v)/2]
}

// ratios compares round by round.
func ratios(a, b []sample, of func(sample) float64) string {
	x, y := values(a, of), values(b, of)
	for i := range x {
		x[i] /= y[i]
	}
	slices.Sort(x)
	return fmt.Sprintf("%.3f [%.2f–%.2f]", x[len(x)/2], x[len(x)/4], x[len(x)*3/4])
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
