package integration

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

func grant(resource, owner string, token driver.Token) driver.Grant {
	return driver.Grant{Resource: resource, Issuer: "lock", Owner: owner, Token: token}
}

// TestExec is the one-statement form with records apart and with records in
// the row: it takes the present grant, and refuses the older one, a guard
// that is gone, and another owner's equal token.
func TestExec(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		s := open(t, k.new(t, patient))
		for name, g := range map[string]*sqlfence.Guard{"table": s.Guard, "columns": s.Columns} {
			t.Run(name, func(t *testing.T) {
				require.NoError(t, s.Put(ctx, s.DB, name, "start"))
				set := func(grant driver.Grant, value string) (sql.Result, error) {
					return g.Exec(ctx, grant, s.Text("UPDATE item SET value = $1 WHERE id = $2 AND {fence}"), value, name)
				}
				older, newer, twin := grant(name, "older", 11), grant(name, "newer", 12), grant(name, "twin", 12)

				_, err := set(older, "unregistered")
				require.ErrorIs(t, err, driver.ErrStale)

				require.NoError(t, g.Register(ctx, older))
				_, err = set(older, "by older")
				require.NoError(t, err)
				_, err = set(older, "by older") // a change to the same value is no refusal
				require.NoError(t, err)

				require.NoError(t, g.Register(ctx, newer))
				require.NoError(t, g.Register(ctx, newer))
				_, err = set(newer, "by newer")
				require.NoError(t, err)
				for _, stale := range []driver.Grant{older, twin, grant(name, "future", 13)} {
					_, err = set(stale, "stale")
					require.ErrorIs(t, err, driver.ErrStale)
				}
				other := newer
				other.Issuer = "another"
				_, err = set(other, "other issuer")
				require.ErrorIs(t, err, driver.ErrIssuer)

				require.ErrorIs(t, g.Register(ctx, older), driver.ErrStale)
				require.ErrorIs(t, g.Register(ctx, twin), driver.ErrStale)
				_, err = g.Claim(ctx, name, "claimer")
				require.ErrorIs(t, err, driver.ErrIssuer)

				value, err := s.Read(ctx, name)
				require.NoError(t, err)
				require.Equal(t, "by newer", value)

				res, err := g.Exec(ctx, newer, s.Text("DELETE FROM item WHERE id = $1 AND value = 'other' AND {fence}"), name)
				require.NoError(t, err)
				n, err := res.RowsAffected()
				require.NoError(t, err)
				require.Zero(t, n)
			})
		}
	})
}

// TestColumns is what only a guard in the user's own rows shows.
func TestColumns(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		s := open(t, k.new(t, patient))
		g := s.Columns

		require.ErrorIs(t, g.Register(ctx, grant("absent", "a", 1)), sqlfence.ErrNoRow)
		_, err := g.Claim(ctx, "absent", "a")
		require.ErrorIs(t, err, sqlfence.ErrNoRow)
		seen, err := g.Seen(ctx, "absent")
		require.NoError(t, err)
		require.Zero(t, seen)

		require.NoError(t, s.Put(ctx, s.DB, "claimed", ""))
		first, err := g.Claim(ctx, "claimed", "first")
		require.NoError(t, err)
		require.EqualValues(t, 1, first.Token)
		again, err := g.Claim(ctx, "claimed", "first")
		require.NoError(t, err)
		require.Equal(t, first, again)
		second, err := g.Claim(ctx, "claimed", "second")
		require.NoError(t, err)
		require.EqualValues(t, 2, second.Token)
		require.ErrorIs(t, g.Register(ctx, grant("claimed", "third", 3)), driver.ErrIssuer)

		write := func(grant driver.Grant, value string) error {
			return g.Tx(ctx, grant, func(tx *sql.Tx) error { return s.Put(ctx, tx, "claimed", value) })
		}
		require.ErrorIs(t, write(first, "stale"), driver.ErrStale)
		require.NoError(t, write(second, "second"))

		require.NoError(t, s.Put(ctx, s.DB, "adopted", ""))
		seen = grant("adopted", "old", 5)
		require.NoError(t, g.Register(ctx, seen))
		next := driver.Grant{Resource: "adopted", Issuer: "new-lock", Owner: "new", Token: 6}
		require.NoError(t, g.Adopt(ctx, seen, next))
		require.NoError(t, g.Adopt(ctx, seen, next))
		require.ErrorIs(t, g.Adopt(ctx, grant("adopted", "other", 4), driver.Grant{Resource: "adopted", Issuer: "new-lock", Owner: "new", Token: 7}), driver.ErrStale)
	})
}

// TestOpenRegistration: a write that comes while a newer registration is in an
// open transaction waits for it and is refused, in both forms. A check without
// a lock would let it in.
func TestOpenRegistration(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		if k.name == "sqlite" {
			t.Skip("SQLite has one writer: no second transaction is open")
		}
		ctx := t.Context()
		s := open(t, k.new(t, patient))
		for _, iso := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead} {
			name := "r" + iso.String()[:4]
			require.NoError(t, s.Put(ctx, s.DB, name, "start"))
			older := grant(name, "older", 11)
			require.NoError(t, s.Guard.Register(ctx, older))

			takeover, err := s.DB.BeginTx(ctx, nil)
			require.NoError(t, err)
			require.NoError(t, s.Exec(ctx, takeover, "UPDATE fence_guard SET token = 12, owner = 'newer' WHERE resource = $1", name))

			errs := make(chan error, 3)
			go func() { errs <- s.Write(ctx, older, name, "stale transaction") }()
			go func() {
				text, args, err := s.Guard.Statement(older, "UPDATE item SET value = 'stale statement' WHERE "+sqlfence.Marker)
				if err != nil {
					errs <- err
					return
				}
				// In a transaction of the isolation level, since a server's
				// default may be either.
				tx, err := s.DB.BeginTx(ctx, &sql.TxOptions{Isolation: iso})
				if err != nil {
					errs <- err
					return
				}
				res, err := tx.ExecContext(ctx, text, args...)
				if err == nil {
					n, _ := res.RowsAffected()
					if n == 0 {
						err = driver.ErrStale
					}
				}
				if iso == sql.LevelRepeatableRead && s.Dialect == sqlfence.PostgreSQL && err != nil {
					err = driver.ErrStale // 40001: could not serialize, nothing written
				}
				errs <- errors.Join(err, tx.Commit())
			}()
			go func() {
				_, err := s.Guard.Exec(ctx, older, "UPDATE item SET value = 'stale exec' WHERE "+sqlfence.Marker)
				errs <- err
			}()
			select {
			case err := <-errs:
				t.Fatalf("did not wait for the open registration: %v", err)
			case <-time.After(150 * time.Millisecond):
			}
			require.NoError(t, takeover.Commit())
			for range 3 {
				require.ErrorIs(t, <-errs, driver.ErrStale)
			}
			value, err := s.Read(ctx, name)
			require.NoError(t, err)
			require.Equal(t, "start", value)
		}
	})
}

// TestMigrateTogether: processes of one service start at the same time.
func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		p := k.new(t, patient)
		var wg sync.WaitGroup
		errs := make(chan error, 8)
		for range 8 {
			wg.Go(func() {
				s, err := stores.Open(p)
				if err == nil {
					err = errors.Join(sqlfence.Migrate(context.Background(), s.DB, s.Dialect), s.Close())
				}
				errs <- err
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
	})
}

// TestRequests: recorded in the same transaction, found by the next holder,
// forgotten by Prune.
func TestRequests(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		s := open(t, k.new(t, patient))
		first, second := grant("r", "first", 1), grant("r", "second", 2)
		require.NoError(t, s.Guard.Register(ctx, first))

		failed := errors.New("work failed")
		err := s.Guard.Tx(ctx, first, func(*sql.Tx) error { return failed }, driver.OncePerRequest("q"))
		require.ErrorIs(t, err, failed)
		token, err := s.Guard.Applied(ctx, "r", "q")
		require.NoError(t, err)
		require.Zero(t, token, "a rolled back request is not applied")

		require.NoError(t, s.Write(ctx, first, "k", "first", driver.OncePerRequest("q")))
		require.NoError(t, s.Guard.Register(ctx, second))
		err = s.Write(ctx, second, "k", "second", driver.OncePerRequest("q"))
		var duplicate *driver.DuplicateError
		require.ErrorAs(t, err, &duplicate)
		require.EqualValues(t, 1, duplicate.Token)
		require.ErrorIs(t, s.Write(ctx, first, "k", "first", driver.OncePerRequest("q")), driver.ErrStale)
		value, err := s.Read(ctx, "k")
		require.NoError(t, err)
		require.Equal(t, "first", value)

		n, err := s.Guard.Prune(ctx, time.Hour)
		require.NoError(t, err)
		require.Zero(t, n)
		time.Sleep(time.Millisecond) // older than a microsecond by any clock
		n, err = s.Guard.Prune(ctx, time.Microsecond)
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
		token, err = s.Guard.Applied(ctx, "r", "q")
		require.NoError(t, err)
		require.Zero(t, token)
	})
}
