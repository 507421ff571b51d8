package integration

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
	"github.com/fencelint/fencelint/fence/internal/integration/servers"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// A request is one entry in the table entry, which has no key: a request that
// was applied twice is there twice.
const entryTable = "CREATE TABLE IF NOT EXISTS entry (request VARCHAR(128) NOT NULL, resource VARCHAR(128) NOT NULL)"

// A ledger is the table entry. It implements [proof.Ledger].
type ledger struct{ *stores.Store }

// Apply appends the entry of a request, at most once.
func (l ledger) Apply(ctx context.Context, g driver.Grant, request string) error {
	return l.Guard.Tx(ctx, g, func(tx *sql.Tx) error {
		return l.Exec(ctx, tx, "INSERT INTO entry (request, resource) VALUES ($1, $2)", request, g.Resource)
	}, driver.OncePerRequest(request))
}

// Entries counts the entries of each request.
func (l ledger) Entries(ctx context.Context, resource string) (map[string]int, error) {
	rows, err := l.DB.QueryContext(ctx, "SELECT request FROM entry WHERE resource = '"+resource+"'")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	n := map[string]int{}
	for rows.Next() {
		var request string
		if err := rows.Scan(&request); err != nil {
			return nil, err
		}
		n[request]++
	}
	return n, rows.Err()
}

func (l ledger) Register(ctx context.Context, g driver.Grant) error { return l.Guard.Register(ctx, g) }

// TestKilledServer kills the server, as kill -9 does, while workers write, and
// starts it again on its data.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	kills := proof.Count(t, "FENCE_KILLS", 3)
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
			var total proof.Toll
			for i := range kills {
				total.Add(killOnce(t, server, s.Place, i))
			}
			require.NotZero(t, total.Acknowledged)
			require.NotZero(t, total.Applied)
			t.Logf("%s: %d kills: %v", tt.name, kills, total)
		})
	}
}

func killOnce(t *testing.T, server *servers.Server, place stores.Place, i int) proof.Toll {
	t.Helper()
	open := func(p stores.Place) *stores.Store { // without connections to a killed server
		s, err := stores.Open(p)
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	p, through := proxied(t, place, 0)
	defer p.Close()
	return proof.Breakdown{
		Name: fmt.Sprintf("kill-%d", i), Token: 1, Writer: ledger{open(through)},
		Allow: func(error) bool { return true }, // the statement in the transaction has errors without a name
		Break: func(ended <-chan struct{}) {
			if i%2 == 0 { // when a commit has been made and its answer has not arrived
				select {
				case <-p.LoseReply("commit"):
				case <-ended:
				}
			} else { // at any moment
				time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
			}
			server.Kill()
		},
		Mend: func() proof.Ledger {
			require.NoError(t, server.Restart(t.Context()))
			return ledger{open(place)}
		},
	}.Run(t, ledger{open(place)})
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
		if err := (ledger{s}).Apply(ctx, j.Grant, fmt.Sprintf("%s-%d", j.Grant.Resource, n)); err != nil {
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
	l := ledger{s}
	ctx := t.Context()
	require.NoError(t, s.Exec(ctx, s.DB, entryTable))
	kills := proof.Count(t, "FENCE_KILLS", 3)
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

		before, err := l.Entries(ctx, old.Resource)
		require.NoError(t, err)
		for m := range n + 1 {
			require.Equal(t, 1, before[fmt.Sprintf("%s-%d", old.Resource, m)])
		}
		// The one after the last acknowledged was perhaps under way.
		open := fmt.Sprintf("%s-%d", old.Resource, n+1)
		next := grant(old.Resource, "new-0123456789ab", 2)
		require.NoError(t, l.Register(ctx, next))
		err = l.Apply(ctx, next, open)
		if before[open] > 0 {
			require.ErrorIs(t, err, driver.ErrDuplicate)
			applied++
		} else {
			require.NoError(t, err)
		}
		after, err := l.Entries(ctx, old.Resource)
		require.NoError(t, err)
		require.Equal(t, 1, after[open])
		require.ErrorIs(t, l.Apply(ctx, old, old.Resource+"-late"), driver.ErrStale)
		acknowledged += n + 1
	}
	t.Logf("sqlite: %d kills: %d writes acknowledged, %d uncertain, of which %d had been applied; 0 acknowledged lost, 0 applied twice", kills, acknowledged, kills, applied)
}
