package integration

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// tenure is one acquisition by a client, registered at guard, with a write.
func tenure(ctx context.Context, client *fence.Client, data *stores.Store, name, value string) error {
	return client.Do(ctx, name, func(ctx context.Context, l *fence.Lease) error {
		g, err := l.Grant(data.Guard)
		if err != nil {
			return err
		}
		return data.Write(ctx, g, name, value)
	}, fence.Registering(data.Guard))
}

// TestRestoredLeases restores the database of the leases from an older dump,
// while the database that is written keeps its guard: the registration sees
// that the lock service went backwards. Nothing is written until an operator,
// or HealForward, raises the sequence.
func TestRestoredLeases(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		data := open(t, k.new(t, patient))
		place := k.new(t, patient)
		locks := open(t, place)
		client := fence.New(locks.Locker, fence.WithTTL(time.Minute))

		require.NoError(t, tenure(ctx, client, data, "job", "one"))
		restore := backup(t, k, place)
		require.NoError(t, tenure(ctx, client, data, "job", "two"))
		require.NoError(t, tenure(ctx, client, data, "job", "three"))
		seen, err := data.Guard.Seen(ctx, "job")
		require.NoError(t, err)

		restored := open(t, restore())
		client = fence.New(restored.Locker, fence.WithTTL(time.Minute))
		err = tenure(ctx, client, data, "job", "after the restore")
		var regressed *fence.RegressedError
		require.ErrorAs(t, err, &regressed)
		require.Equal(t, seen, regressed.Seen)
		require.Less(t, regressed.Have.Token, seen.Token)
		value, err := data.Read(ctx, "job")
		require.NoError(t, err)
		require.Equal(t, "three", value)

		healing := fence.New(restored.Locker, fence.WithTTL(time.Minute), fence.HealForward())
		require.NoError(t, tenure(ctx, healing, data, "job", "healed"))
		require.NoError(t, tenure(ctx, client, data, "job", "goes on"))
		after, err := data.Guard.Seen(ctx, "job")
		require.NoError(t, err)
		require.Greater(t, after.Token, seen.Token)
		require.Equal(t, seen.Issuer, after.Issuer, "the name of the sequence went with the dump")
	})
}

// TestReplacedLeases makes a new, empty database for the leases: its tokens
// cannot be compared with those that the guard has seen.
func TestReplacedLeases(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		data := open(t, k.new(t, patient))
		old := open(t, k.new(t, patient))
		replaced := open(t, k.new(t, patient))
		for range 3 {
			require.NoError(t, tenure(ctx, fence.New(old.Locker, fence.WithTTL(time.Minute)), data, "job", "old"))
		}
		client := fence.New(replaced.Locker, fence.WithTTL(time.Minute))
		require.ErrorIs(t, tenure(ctx, client, data, "job", "new"), fence.ErrIssuer)
		value, err := data.Read(ctx, "job")
		require.NoError(t, err)
		require.Equal(t, "old", value)

		adopting := fence.New(replaced.Locker, fence.WithTTL(time.Minute), fence.WithAdopt())
		require.NoError(t, tenure(ctx, adopting, data, "job", "new"))
		require.ErrorIs(t, tenure(ctx, fence.New(old.Locker, fence.WithTTL(time.Minute)), data, "job", "old"), fence.ErrIssuer)
	})
}

// TestRestoredGuard restores the database that is written, with its guard: an
// older holder, whose number is the greatest of all, is refused.
func TestRestoredGuard(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		place := k.new(t, patient)
		data := open(t, place)
		require.NoError(t, data.Guard.Register(ctx, grant("job", "first-0123456789", 3)))
		restore := backup(t, k, place)
		stale := grant("job", "stale-0123456789", 5)
		require.NoError(t, data.Guard.Register(ctx, stale))
		require.NoError(t, data.Write(ctx, stale, "job", "five"))

		restored := open(t, restore())
		require.ErrorIs(t, restored.Write(ctx, stale, "job", "stale"), fence.ErrStale)
		four := grant("job", "fourth-0123456789", 4)
		require.NoError(t, restored.Guard.Register(ctx, four))
		require.NoError(t, restored.Write(ctx, four, "job", "four"))
		require.ErrorIs(t, restored.Write(ctx, stale, "job", "stale"), fence.ErrStale)
		value, err := restored.Read(ctx, "job")
		require.NoError(t, err)
		require.Equal(t, "four", value)
	})
}

// backup dumps a store now and gives the function that restores the dump into
// a new one.
func backup(t *testing.T, k kind, place stores.Place) (restore func() stores.Place) {
	t.Helper()
	ctx := t.Context()
	var dump []byte
	var err error
	switch k.name {
	case "postgres":
		dump, err = postgres.server.DumpPostgres(ctx, databaseOf(place))
	case "mariadb":
		dump, err = mariadb.server.DumpMariaDB(ctx, databaseOf(place))
	case "sqlite":
		file := filepath.Join(t.TempDir(), "dump.db")
		s, openErr := stores.Open(place)
		require.NoError(t, openErr)
		_, err = s.DB.ExecContext(ctx, "VACUUM INTO '"+file+"'")
		err = errors.Join(err, s.Close())
		if err == nil {
			dump, err = os.ReadFile(file)
		}
	}
	require.NoError(t, err)
	require.NotEmpty(t, dump)
	return func() stores.Place {
		if k.name == "sqlite" {
			file := filepath.Join(t.TempDir(), "restored.db")
			require.NoError(t, os.WriteFile(file, dump, 0o600))
			return stores.SQLite(file, patient.lock)
		}
		to := k.new(t, patient)
		if k.name == "postgres" {
			require.NoError(t, postgres.server.LoadPostgres(ctx, databaseOf(to), dump))
		} else {
			require.NoError(t, mariadb.server.LoadMariaDB(ctx, databaseOf(to), dump))
		}
		return to
	}
}
