package servers_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/internal/integration/servers"
)

func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestKillAndRestart is what the proofs build on: data acknowledged before a
// kill is there after a restart.
func TestKillAndRestart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		start  func(...string) (*servers.Server, error)
		driver string
		dsn    func(*servers.Server) string
		create string
		dump   func(*servers.Server, context.Context, string) ([]byte, error)
		load   func(*servers.Server, context.Context, string, []byte) error
		base   string
	}{
		{"postgres", servers.StartPostgres, "pgx", func(s *servers.Server) string { return s.PostgresDSN("postgres") }, "CREATE DATABASE other", (*servers.Server).DumpPostgres, (*servers.Server).LoadPostgres, "postgres"},
		{"mariadb", servers.StartMariaDB, "mysql", func(s *servers.Server) string { return s.MariaDBDSN("mysql") }, "CREATE DATABASE other", (*servers.Server).DumpMariaDB, (*servers.Server).LoadMariaDB, "other"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s, err := tt.start()
			servers.Require(t, err)
			t.Cleanup(s.Stop)

			db := open(t, tt.driver, tt.dsn(s))
			_, err = db.ExecContext(ctx, tt.create)
			require.NoError(t, err)
			_, err = db.ExecContext(ctx, "CREATE TABLE kept (id INT PRIMARY KEY)")
			require.NoError(t, err)
			_, err = db.ExecContext(ctx, "INSERT INTO kept VALUES (7)")
			require.NoError(t, err)

			s.Kill()
			_, err = db.ExecContext(ctx, "INSERT INTO kept VALUES (8)")
			require.Error(t, err)

			require.NoError(t, s.Restart(ctx))
			var n int
			require.NoError(t, db.QueryRowContext(ctx, "SELECT id FROM kept").Scan(&n))
			require.Equal(t, 7, n)

			s.Pause()
			short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
			defer cancel()
			require.Error(t, db.QueryRowContext(short, "SELECT id FROM kept").Scan(&n))
			s.Resume()
			require.NoError(t, db.QueryRowContext(ctx, "SELECT id FROM kept").Scan(&n))

			dump, err := tt.dump(s, ctx, tt.base)
			require.NoError(t, err)
			require.NotEmpty(t, dump)
			require.NoError(t, tt.load(s, ctx, "other", dump))
		})
	}
}

func TestStandbyRefusesWrites(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	primary, err := servers.StartPostgres()
	servers.Require(t, err)
	t.Cleanup(primary.Stop)
	standby, err := servers.StartStandby(primary)
	servers.Require(t, err)
	t.Cleanup(standby.Stop)

	db := open(t, "pgx", standby.PostgresDSN("postgres"))
	_, err = db.ExecContext(ctx, "CREATE TABLE refused (id INT)")
	require.ErrorContains(t, err, "read-only")
}

// outcome records how Require ended a test instead of ending one.
type outcome struct {
	testing.TB
	got string
}

func (*outcome) Helper()                 {}
func (o *outcome) Skipf(string, ...any)  { o.got = "skip" }
func (o *outcome) Fatalf(string, ...any) { o.got = "fail" }

func TestRequire(t *testing.T) { // not parallel: it sets the environment
	tests := []struct {
		ci   string
		err  error
		want string
	}{
		{"", nil, ""},
		{"true", nil, ""},
		{"", servers.ErrMissing, "skip"},
		{"true", servers.ErrMissing, "fail"},
		{"", errors.New("does not answer"), "fail"},
	}
	for _, tt := range tests {
		t.Setenv("CI", tt.ci)
		o := &outcome{TB: t}
		servers.Require(o, tt.err)
		require.Equal(t, tt.want, o.got, "CI=%q err=%v", tt.ci, tt.err)
	}
}
