package integration

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/servers"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

// calls are all calls that reach a server.
func calls(ctx context.Context, s *stores.Store) map[string]error {
	g := grant("job", "owner-0123456789", 1)
	h := driver.Hold{Name: "job", Owner: g.Owner, Issuer: "x", Token: 1}
	errs := map[string]error{}
	_, errs["Acquire"] = s.Locker.Acquire(ctx, driver.Request{Name: "job", Owner: g.Owner, TTL: time.Minute})
	errs["Extend"] = s.Locker.Extend(ctx, h, time.Minute)
	errs["Release"] = s.Locker.Release(ctx, h)
	_, errs["Issued"] = s.Locker.Issued(ctx, "job")
	errs["Raise"] = s.Locker.Raise(ctx, "job", 5)
	errs["Register"] = s.Guard.Register(ctx, g)
	_, errs["Claim"] = s.Guard.Claim(ctx, "job2", g.Owner)
	_, errs["Seen"] = s.Guard.Seen(ctx, "job")
	next := g
	next.Issuer, next.Token = "other", 2
	errs["Adopt"] = s.Guard.Adopt(ctx, g, next)
	errs["Tx"] = s.Write(ctx, g, "job", "x")
	errs["lazy Tx"] = s.Write(ctx, g, "job", "x", driver.LazyWrite())
	_, errs["Exec"] = s.Guard.Exec(ctx, g, "UPDATE item SET value = 'x' WHERE id = 'job' AND "+sqlfence.Marker)
	_, errs["Applied"] = s.Guard.Applied(ctx, "job", "q")
	_, errs["Prune"] = s.Guard.Prune(ctx, time.Hour)
	return errs
}

// reads are the calls that change nothing.
func reads(call string) bool {
	return call == "Seen" || call == "Issued" || call == "Applied"
}

// unavailable wants every call to fail with named, and to say that nothing was
// done.
func unavailable(t *testing.T, s *stores.Store, named error) {
	t.Helper()
	for call, err := range calls(t.Context(), s) {
		require.ErrorIs(t, err, named, call)
		require.ErrorIs(t, err, driver.ErrUnavailable, call)
		require.NotErrorIs(t, err, driver.ErrUncertain, call)
	}
}

func TestMissingTables(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		s, err := stores.Open(k.new(t, patient))
		require.NoError(t, err)
		defer s.Close()
		unavailable(t, s, sqlfence.ErrSchema)
	})
}

func TestWrongDialect(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		right := open(t, k.new(t, patient))
		for _, d := range []sqlfence.Dialect{sqlfence.PostgreSQL, sqlfence.MySQL, sqlfence.SQLite} {
			if d == right.Dialect {
				continue
			}
			place := right.Place
			place.Dialect = d
			s, err := stores.Over(right.DB, place)
			require.NoError(t, err)
			require.ErrorIs(t, sqlfence.Migrate(ctx, right.DB, d), sqlfence.ErrDialect, "%v", d)
			_, err = s.Locker.Acquire(ctx, driver.Request{Name: "job", Owner: "owner-0123456789", TTL: time.Minute})
			require.ErrorIs(t, err, sqlfence.ErrDialect, "Acquire as %v", d)
			require.ErrorIs(t, s.Write(ctx, grant("job", "owner-0123456789", 1), "job", "x"), sqlfence.ErrDialect, "Tx as %v", d)
		}
	})
}

// TestReadOnly: a hot standby, a server with read_only, a file opened so.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, s *stores.Store) {
		require.ErrorIs(t, sqlfence.Migrate(t.Context(), s.DB, s.Dialect), sqlfence.ErrReadOnly)
		for call, err := range calls(t.Context(), s) {
			if reads(call) {
				require.NoError(t, err, call)
				continue
			}
			// Where a lock is no change, the missing record is found first.
			if (call == "Tx" || call == "Exec") && s.Dialect != sqlfence.PostgreSQL && err != nil {
				require.NotErrorIs(t, err, driver.ErrUncertain, call)
				continue
			}
			require.ErrorIs(t, err, sqlfence.ErrReadOnly, call)
			require.ErrorIs(t, err, driver.ErrUnavailable, call)
		}
	}
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		primary, err := servers.StartPostgres()
		servers.Require(t, err)
		t.Cleanup(primary.Stop)
		open(t, stores.Postgres(primary.PostgresDSN("postgres"), 0, 0))
		standby, err := servers.StartStandby(primary)
		servers.Require(t, err)
		t.Cleanup(standby.Stop)
		s, err := stores.Open(stores.Postgres(standby.PostgresDSN("postgres"), 0, 0))
		require.NoError(t, err)
		defer s.Close()
		require.Eventually(t, func() bool { // it follows at its own pace
			_, err := s.Guard.Seen(t.Context(), "job")
			return err == nil && s.Exec(t.Context(), s.DB, "SELECT 1 FROM item") == nil
		}, time.Minute, 20*time.Millisecond)
		check(t, s)
	})
	t.Run("mariadb", func(t *testing.T) {
		t.Parallel()
		server, err := servers.StartMariaDB("--read-only")
		servers.Require(t, err)
		t.Cleanup(server.Stop)
		admin, err := sql.Open("mysql", server.MariaDBDSN(""))
		require.NoError(t, err)
		defer admin.Close()
		for _, q := range []string{"CREATE DATABASE fence", "CREATE USER app@'127.0.0.1'", "GRANT ALL ON fence.* TO app@'127.0.0.1'"} {
			_, err := admin.ExecContext(t.Context(), q)
			require.NoError(t, err)
		}
		place := stores.MariaDB(server.MariaDBDSN("fence"), 0, 0)
		open(t, place) // root may write
		place.DSN = strings.Replace(place.DSN, "root@", "app@", 1)
		s, err := stores.Open(place)
		require.NoError(t, err)
		defer s.Close()
		check(t, s)
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "store.db")
		open(t, stores.SQLite(file, time.Second))
		place := stores.SQLite(file, time.Second)
		place.DSN = fmt.Sprintf("file:%s?mode=ro", file)
		s, err := stores.Open(place)
		require.NoError(t, err)
		defer s.Close()
		check(t, s)
	})
}

// TestServerGone: nobody listens any more, and somebody listens who does not
// answer.
func TestServerGone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		start func(...string) (*servers.Server, error)
		place func(*servers.Server) stores.Place
	}{
		{"postgres", servers.StartPostgres, func(s *servers.Server) stores.Place {
			return stores.Postgres(s.PostgresDSN("postgres"), 0, 0)
		}},
		{"mariadb", servers.StartMariaDB, func(s *servers.Server) stores.Place {
			return stores.MariaDB(s.MariaDBDSN("test_gone"), 0, 0)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server, err := tt.start()
			servers.Require(t, err)
			t.Cleanup(server.Stop)
			place := tt.place(server)
			if tt.name == "mariadb" {
				db, err := sql.Open("mysql", server.MariaDBDSN(""))
				require.NoError(t, err)
				_, err = db.ExecContext(t.Context(), "CREATE DATABASE test_gone")
				require.NoError(t, err)
				require.NoError(t, db.Close())
			}
			s := open(t, place)
			for call, err := range calls(t.Context(), s) { // connections and names are known
				require.NotErrorIs(t, err, driver.ErrUnavailable, call)
			}

			server.Pause()
			for _, call := range []string{"Register", "Seen"} {
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				var err error
				if call == "Register" {
					err = s.Guard.Register(ctx, grant("job", "owner-0123456789", 9))
					require.ErrorIs(t, err, driver.ErrUncertain)
				} else {
					_, err = s.Guard.Seen(ctx, "job")
					require.ErrorIs(t, err, driver.ErrUnavailable)
				}
				cancel()
				require.ErrorIs(t, err, context.DeadlineExceeded)
			}
			server.Resume()

			server.Kill()
			fresh, err := stores.Open(place)
			require.NoError(t, err)
			defer fresh.Close()
			unavailable(t, fresh, driver.ErrUnavailable)
		})
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s, err := stores.Open(stores.SQLite(filepath.Join(t.TempDir(), "no", "such", "directory.db"), time.Second))
		require.NoError(t, err)
		defer s.Close()
		unavailable(t, s, driver.ErrUnavailable)
	})
}

// TestSecretsInErrors: no error tells a whole owner or token.
func TestSecretsInErrors(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		s := open(t, k.new(t, patient))
		g := grant("job", "secretowner0123456789", 987654321)
		require.NoError(t, s.Guard.Register(ctx, g))
		old := grant("job", "secretolder0123456789", 987654320)
		for _, err := range []error{
			s.Guard.Register(ctx, old),
			s.Write(ctx, old, "job", "x"),
			s.Guard.Adopt(ctx, old, driver.Grant{Resource: "job", Issuer: "other", Owner: g.Owner, Token: g.Token}),
		} {
			require.Error(t, err)
			for _, secret := range []string{g.Owner, old.Owner, "987654321", "987654320"} {
				require.NotContains(t, err.Error(), secret)
			}
		}
	})
}
