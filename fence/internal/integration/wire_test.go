package integration

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proxy"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// behind opens a store behind a proxy, with one connection.
func behind(t testing.TB, place stores.Place, delay time.Duration) (*proxy.Proxy, *stores.Store) {
	t.Helper()
	p, through := proxied(t, place, delay)
	t.Cleanup(p.Close)
	s := open(t, through)
	s.DB.SetMaxOpenConns(1)
	return p, s
}

// fewest is the least number of round trips that f takes: a driver may add one
// of its own now and then, such as a ping on an idle connection.
func fewest(t *testing.T, p *proxy.Proxy, f func(i int) error) int64 {
	t.Helper()
	least := int64(1 << 62)
	for i := range 4 {
		before := p.Trips()
		require.NoError(t, f(i))
		least = min(least, p.Trips()-before)
	}
	return least
}

// TestRoundTrips counts at the wire. PostgreSQL is driven by pgx in the modes
// that need no trip to prepare a statement: exec always, and cache_statement,
// its default, from the second use on.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	for _, k := range kinds()[:2] {
		modes := []string{""}
		if k.name == "postgres" {
			modes = []string{"exec", "cache_statement"}
		}
		for _, mode := range modes {
			t.Run(k.name+mode, func(t *testing.T) {
				t.Parallel()
				ctx := t.Context()
				place := k.new(t, patient)
				if mode != "" {
					place.DSN = strings.Replace(place.DSN, "default_query_exec_mode=exec", "default_query_exec_mode="+url.QueryEscape(mode), 1)
				}
				p, s := behind(t, place, 0)
				require.NoError(t, s.Put(ctx, s.DB, "job", "start"))
				owner := func(i int) string { return fmt.Sprintf("owner-0123456789-%d", i) }
				var hold driver.Hold
				var g driver.Grant
				trips := map[string]int64{}
				trips["acquire"] = fewest(t, p, func(i int) (err error) {
					hold, err = s.Locker.Acquire(ctx, driver.Request{Name: "job", Owner: owner(0), TTL: time.Minute})
					return err
				})
				trips["extend"] = fewest(t, p, func(int) error { return s.Locker.Extend(ctx, hold, time.Minute) })
				trips["register"] = fewest(t, p, func(i int) error {
					g = grant("job", owner(i), driver.Token(i+1))
					return s.Guard.Register(ctx, g)
				})
				trips["claim"] = fewest(t, p, func(i int) error {
					_, err := s.Guard.Claim(ctx, "claimed", owner(i))
					return err
				})
				trips["statement"] = fewest(t, p, func(i int) error { return set(ctx, s, g, "job", fmt.Sprint(i)) })
				trips["transaction"] = fewest(t, p, func(i int) error { return s.Write(ctx, g, "job", fmt.Sprint(i)) })
				// A release needs a hold, and the acquisitions are 1 each.
				both := fewest(t, p, func(i int) error {
					h, err := s.Locker.Acquire(ctx, driver.Request{Name: "other", Owner: owner(i), TTL: time.Minute})
					if err != nil {
						return err
					}
					return s.Locker.Release(ctx, h)
				})
				trips["release"] = both - 1
				require.Equal(t, map[string]int64{
					"acquire": 1, "extend": 1, "release": 1, "register": 1, "claim": 1, "statement": 1,
					"transaction": 4, // begin, check, write, commit
				}, trips)
			})
		}
	}
}

// TestCost compares guarded with plain writes at a round trip of 1 ms, one
// after the other in turns. By default it reports; with FENCE_COST=strict it
// holds the guarded forms to their targets, for which the machine must be
// quiet and the race detector off. Statements are prepared once, as pgx does
// by default.
func TestCost(t *testing.T) {
	n := 60
	strict := os.Getenv("FENCE_COST") == "strict"
	if strict {
		n = 1000
	}
	for _, k := range kinds()[:2] {
		t.Run(k.name, func(t *testing.T) {
			ctx := t.Context()
			place := k.new(t, patient)
			place.DSN = strings.Replace(place.DSN, "default_query_exec_mode=exec", "default_query_exec_mode=cache_statement", 1)
			_, s := behind(t, place, time.Millisecond)
			for _, key := range []string{"plain", "plain tx", "job", "job tx", "row"} {
				require.NoError(t, s.Put(ctx, s.DB, key, "start"))
			}
			g, row := grant("job", "owner-0123456789", 1), grant("row", "owner-0123456789", 1)
			require.NoError(t, s.Guard.Register(ctx, g))
			require.NoError(t, s.Columns.Register(ctx, row))
			query := s.Text("UPDATE item SET value = $1 WHERE id = $2")
			plainTx := func(ctx context.Context, value string) error {
				tx, err := s.DB.BeginTx(ctx, nil)
				if err != nil {
					return err
				}
				if _, err := tx.ExecContext(ctx, query, value, "plain tx"); err != nil {
					return err
				}
				return tx.Commit()
			}
			forms := []struct {
				name  string
				write func(value string) error
			}{
				{"plain", func(v string) error { _, err := s.DB.ExecContext(ctx, query, v, "plain"); return err }},
				{"statement", func(v string) error {
					_, err := s.Guard.Exec(ctx, g, query+" AND {fence}", v, "job")
					return err
				}},
				{"columns", func(v string) error {
					_, err := s.Columns.Exec(ctx, row, query+" AND {fence}", v, "row")
					return err
				}},
				{"plain tx", func(v string) error { return plainTx(ctx, v) }},
				{"guarded tx", func(v string) error {
					return s.Guard.Tx(ctx, g, func(tx *sql.Tx) error {
						_, err := tx.ExecContext(ctx, query, v, "job tx")
						return err
					})
				}},
			}
			times := map[string][]time.Duration{}
			for i := range n + 10 {
				for j := range forms {
					f := forms[(i+j)%len(forms)]
					begin := time.Now()
					require.NoError(t, f.write(fmt.Sprint(i)))
					if i >= 10 { // the first ones warm up
						times[f.name] = append(times[f.name], time.Since(begin))
					}
				}
			}
			p50 := func(name string) time.Duration {
				slices.Sort(times[name])
				return times[name][len(times[name])/2]
			}
			ratio := func(a, b string) float64 { return float64(p50(a)) / float64(p50(b)) }
			t.Logf("%s, 1 ms round trip, %d each, p50: plain %v; statement %v (%.3f); columns %v (%.3f); plain tx %v; guarded tx %v (%.3f)",
				k.name, n, p50("plain"), p50("statement"), ratio("statement", "plain"), p50("columns"), ratio("columns", "plain"),
				p50("plain tx"), p50("guarded tx"), ratio("guarded tx", "plain tx"))
			if strict {
				require.LessOrEqual(t, ratio("statement", "plain"), 1.10)
				require.LessOrEqual(t, ratio("columns", "plain"), 1.05)
			}
		})
	}
}
