package writes

import (
	"context"
	"database/sql"

	"github.com/go-redsync/redsync/v4"
)

// The author knows, and says so at the write.
func ignored(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string) error {
	mu := rs.NewMutex("ignored:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	//fencelint:ignore unfencedwrite the colour is painted anew each night
	_, err := db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id)
	return err
}

// The author limits what the lock promises, at the acquire.
func limit(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string) error {
	mu := rs.NewMutex("limit:" + id)
	//fencelint:limit saves work only, two painters do no harm
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	_, err := db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id)
	return err
}

// The same at the write, whose check in the worker is silenced too.
func limitedCheck(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string) error {
	mu := rs.NewMutex("limitedcheck:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	if ok, err := mu.ExtendContext(ctx); err != nil || !ok {
		return err
	}
	//fencelint:limit the audit finds doubles
	_, err := db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id)
	return err
}
