// Package integration proves the runtime library on real servers.
//
// Counts are small by default. FENCE_SCHEDULES, FENCE_STOPS and FENCE_KILLS
// set the number of random schedules, of stopped processes and of killed
// servers for each store, FENCE_HISTORIES and FENCE_CONTROLS those of recorded
// histories and of schedules that must lose; FENCE_SEED is the seed of the
// first schedule, to go on where a run has ended. FENCE_MUTANTS=all breaks
// everything on every database, FENCE_COST=strict holds costs to their targets.
package integration

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/internal/integration/servers"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

// TestMain ends the servers that the tests share, or is the child that a test
// has started.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" { // see child_test.go
		os.Exit(child(role))
	}
	code := m.Run()
	for _, s := range []*shared{postgres, mariadb} {
		s.stop()
	}
	os.Exit(code)
}

// shared is a server that is started by the first test that needs it.
type shared struct {
	start     func(...string) (*servers.Server, error)
	once      sync.Once
	server    *servers.Server
	err       error
	databases atomic.Int64
}

var (
	postgres = &shared{start: servers.StartPostgres}
	mariadb  = &shared{start: servers.StartMariaDB}
)

func (s *shared) get(t testing.TB) *servers.Server {
	t.Helper()
	s.once.Do(func() { s.server, s.err = s.start() })
	servers.Require(t, s.err)
	return s.server
}

func (s *shared) stop() {
	if s.server != nil {
		s.server.Stop()
	}
}

// newDatabase makes an empty database on a server.
func newDatabase(t testing.TB, driverName, dsn string, n int64) string {
	t.Helper()
	db, err := sql.Open(driverName, dsn)
	require.NoError(t, err)
	defer db.Close()
	name := fmt.Sprintf("fence_%d", n)
	_, err = db.ExecContext(context.Background(), "CREATE DATABASE "+name)
	require.NoError(t, err)
	return name
}

// waits bounds lock waits in a store.
type waits struct{ lock, idle time.Duration }

// patient is for tests where nobody stalls inside a transaction.
var patient = waits{lock: 20 * time.Second}

// A kind makes places for new, empty stores.
type kind struct {
	name string
	new  func(t testing.TB, w waits) stores.Place
}

// kinds are the databases that everything is proved on.
func kinds() []kind {
	return []kind{
		{"postgres", func(t testing.TB, w waits) stores.Place {
			s := postgres.get(t)
			name := newDatabase(t, "pgx", s.PostgresDSN("postgres"), postgres.databases.Add(1))
			return stores.Postgres(s.PostgresDSN(name), w.lock, w.idle)
		}},
		{"mariadb", func(t testing.TB, w waits) stores.Place {
			s := mariadb.get(t)
			name := newDatabase(t, "mysql", s.MariaDBDSN(""), mariadb.databases.Add(1))
			return stores.MariaDB(s.MariaDBDSN(name), w.lock, w.idle)
		}},
		{"sqlite", func(t testing.TB, w waits) stores.Place {
			return stores.SQLite(filepath.Join(t.TempDir(), "store.db"), w.lock)
		}},
	}
}

// onEach runs a test on each kind of database.
func onEach(t *testing.T, test func(t *testing.T, k kind)) {
	t.Helper()
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			test(t, k)
		})
	}
}

// open opens a place and makes its tables.
func open(t testing.TB, p stores.Place, opts ...sqlfence.Option) *stores.Store {
	t.Helper()
	s, err := stores.Open(p, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.NoError(t, s.Migrate(context.Background()))
	return s
}

var databaseName = regexp.MustCompile(`/(fence_\d+)\?`)

// databaseOf is the name that newDatabase has given.
func databaseOf(p stores.Place) string { return databaseName.FindStringSubmatch(p.DSN)[1] }
