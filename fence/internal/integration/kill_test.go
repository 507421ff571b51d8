package integration

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/servers"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// A request is one entry in the table entry, which has no key: a request that
// was applied twice is there twice.
const entryTable = "CREATE TABLE IF NOT EXISTS entry (request VARCHAR(128) NOT NULL, resource VARCHAR(128) NOT NULL)"

// apply appends the entry of a request, at most once.
func apply(ctx context.Context, s *stores.Store, g driver.Grant, request string) error {
	return s.Guard.Tx(ctx, g, func(tx *sql.Tx) error {
		return s.Exec(ctx, tx, "INSERT INTO entry (request, resource) VALUES ($1, $2)", request, g.Resource)
	}, driver.OncePerRequest(request))
}

// entries counts the entries of each request.
func entries(t *testing.T, s *stores.Store, resource string) map[string]int {
	t.Helper()
	query := "SELECT request FROM entry WHERE resource = '" + resource + "'"
	rows, err := s.DB.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer rows.Close()
	n := map[string]int{}
	for rows.Next() {
		var request string
		require.NoError(t, rows.Scan(&request))
		n[request]++
	}
	require.NoError(t, rows.Err())
	return n
}

// settle is the next holder: it registers and sends every open request again.
func settle(t *testing.T, s *stores.Store, next driver.Grant, open []string) (duplicates int) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, s.Guard.Register(ctx, next))
	for _, request := range open {
		err := apply(ctx, s, next, request)
		if errors.Is(err, driver.ErrDuplicate) {
			duplicates++
			err = nil
		}
		require.NoError(t, err)
	}
	return duplicates
}

// TestKilledServer kills the server, as kill -9 does, while workers write, and
// starts it again on its data. What was acknowledged is there once; what was
// uncertain is settled by the next holder, once; the old holders are refused.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	kills := count(t, "FENCE_KILLS", 3)
	for _, tt := range []struct {
		name  string
		start func(...string) (*servers.Server, error)
		place func(*servers.Server) stores.Place
	}{
		{"postgres", servers.StartPostgres, func(s *servers.Server) stores.Place {
			return stores.Postgres(s.PostgresDSN("postgres"), 20*time.Second, 0)
		}},
		{"mariadb", servers.StartMariaDB, func(s *servers.Server) stores.Place {
			return stores.MariaDB(s.MariaDBDSN("fence"), 20*time.Second, 0)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server, err := tt.start()
			servers.Require(t, err)
			t.Cleanup(server.Stop)
			if tt.name == "mariadb" {
				db, err := sql.Open("mysql", server.MariaDBDSN(""))
				require.NoError(t, err)
				_, err = db.ExecContext(t.Context(), "CREATE DATABASE fence")
				require.NoError(t, err)
				require.NoError(t, db.Close())
			}
			s := open(t, tt.place(server))
			require.NoError(t, s.Exec(t.Context(), s.DB, entryTable))
			var total killed
			for i := range kills {
				total.add(killOnce(t, server, s.Place, i))
			}
			require.NotZero(t, total.acknowledged)
			require.NotZero(t, total.applied)
			t.Logf("%s: %d kills: %v; 0 acknowledged lost, 0 applied twice", tt.name, kills, total)
		})
	}
}

// killed counts what happened to requests around kills.
type killed struct{ acknowledged, uncertain, unavailable, applied int }

func (k *killed) add(o killed) {
	k.acknowledged += o.acknowledged
	k.uncertain += o.uncertain
	k.unavailable += o.unavailable
	k.applied += o.applied
}

func (k killed) String() string {
	return fmt.Sprintf("%d writes acknowledged, %d uncertain, of which %d had been applied; %d said to have no effect",
		k.acknowledged, k.uncertain, k.applied, k.unavailable)
}

func killOnce(t *testing.T, server *servers.Server, place stores.Place, i int) killed {
	t.Helper()
	ctx := t.Context()
	s, err := stores.Open(place) // without connections to a killed server
	require.NoError(t, err)
	defer s.Close()
	const workers = 4
	var mu sync.Mutex
	acknowledged, uncertain, unavailable := map[string]string{}, map[string]string{}, map[string]string{} // request to resource
	p, through := proxied(t, place, 0)
	defer p.Close()
	writer, err := stores.Open(through)
	require.NoError(t, err)
	defer writer.Close()
	var wg sync.WaitGroup
	written := make(chan struct{}, 1)
	resource := func(w int) string { return fmt.Sprintf("kill-%d-%d", i, w) }
	for w := range workers {
		g := grant(resource(w), "old-0123456789ab", 1)
		require.NoError(t, s.Guard.Register(ctx, g))
		wg.Go(func() {
			for n := 0; ; n++ {
				request := fmt.Sprintf("%s-%d", g.Resource, n)
				err := apply(ctx, writer, g, request)
				mu.Lock()
				switch {
				case err == nil:
					acknowledged[request] = g.Resource
				case errors.Is(err, driver.ErrUncertain):
					uncertain[request] = g.Resource
				default: // also an error of the statement in the transaction, which has no name
					unavailable[request] = g.Resource
				}
				mu.Unlock()
				if err != nil {
					return
				}
				select {
				case written <- struct{}{}:
				default:
				}
			}
		})
	}
	<-written
	if i%2 == 0 { // when a commit has been made and its answer has not arrived
		<-p.LoseReply("commit")
	} else { // at any moment
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
	}
	server.Kill()
	wg.Wait()
	require.NoError(t, server.Restart(ctx))
	s, err = stores.Open(place)
	require.NoError(t, err)
	defer s.Close()

	result := killed{acknowledged: len(acknowledged), uncertain: len(uncertain), unavailable: len(unavailable)}
	for w := range workers {
		r := resource(w)
		before := entries(t, s, r)
		for request, of := range acknowledged {
			if of == r {
				require.Equal(t, 1, before[request], "acknowledged %s", request)
			}
		}
		for request, of := range unavailable {
			if of == r {
				require.Zero(t, before[request], "%s was said to have no effect", request)
			}
		}
		var open []string
		for request, of := range uncertain {
			if of == r {
				open = append(open, request)
			}
		}
		next := grant(r, "new-0123456789ab", 2)
		duplicates := settle(t, s, next, open)
		result.applied += duplicates
		applied := 0
		after := entries(t, s, r)
		for _, request := range open {
			require.Equal(t, 1, after[request], "settled %s", request)
			applied += before[request]
		}
		require.Equal(t, applied, duplicates, "the next holder learns what had been applied")
		require.ErrorIs(t, apply(ctx, s, grant(r, "old-0123456789ab", 1), r+"-late"), driver.ErrStale)
	}
	return result
}

// A writing is the job of a child that writes until it is killed.
type writing struct {
	Place stores.Place
	Grant driver.Grant
}

// writerRole says which requests were acknowledged, each when it was.
func writerRole(ctx context.Context) error {
	var j writing
	if err := readJob(&j); err != nil {
		return err
	}
	s, err := stores.Open(j.Place)
	if err != nil {
		return err
	}
	if err := s.Guard.Register(ctx, j.Grant); err != nil {
		return err
	}
	for n := 0; ; n++ {
		if err := apply(ctx, s, j.Grant, fmt.Sprintf("%s-%d", j.Grant.Resource, n)); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, n); err != nil {
			return err
		}
	}
}

// TestKilledWriter is the same on SQLite, where the writer is the server.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	place := stores.SQLite(filepath.Join(t.TempDir(), "store.db"), 20*time.Second)
	s := open(t, place)
	ctx := t.Context()
	require.NoError(t, s.Exec(ctx, s.DB, entryTable))
	kills := count(t, "FENCE_KILLS", 3)
	acknowledged, applied := 0, 0
	for i := range kills {
		old := grant(fmt.Sprintf("kill-%d", i), "old-0123456789ab", 1)
		child := startChild(t, "writer", writing{place, old})
		lines := bufio.NewScanner(child.out)
		require.True(t, lines.Scan(), "the writer wrote nothing: %s", &child.stderr)
		last := lines.Text()
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond) // at any moment of a write
		child.signal(t, syscall.SIGKILL)
		for lines.Scan() {
			last = lines.Text()
		}
		require.Error(t, child.cmd.Wait())
		n, err := strconv.Atoi(strings.TrimSpace(last))
		require.NoError(t, err)

		before := entries(t, s, old.Resource)
		for m := range n + 1 {
			require.Equal(t, 1, before[fmt.Sprintf("%s-%d", old.Resource, m)])
		}
		// The one after the last acknowledged was perhaps under way.
		open := fmt.Sprintf("%s-%d", old.Resource, n+1)
		duplicates := settle(t, s, grant(old.Resource, "new-0123456789ab", 2), []string{open})
		require.Equal(t, before[open], duplicates)
		require.Equal(t, 1, entries(t, s, old.Resource)[open])
		require.ErrorIs(t, apply(ctx, s, old, old.Resource+"-late"), driver.ErrStale)
		acknowledged, applied = acknowledged+n+1, applied+duplicates
	}
	t.Logf("sqlite: %d kills: %d writes acknowledged, %d uncertain, of which %d had been applied; 0 acknowledged lost, 0 applied twice", kills, acknowledged, kills, applied)
}
