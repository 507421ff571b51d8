// Case R008: a row in a SQL table is the lock; an expired row may be taken over. The
// unlock function deletes the row by lock name, so a late unlock deletes the row of the
// worker that took over.
// To flag: the DELETE in the returned closure: its WHERE names the lock, not the holder.
package main

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

type UnlockFn func() error

func Lock(ctx context.Context, db *sql.DB, id string, ttl time.Duration) (UnlockFn, error) {
	now := time.Now().UTC()
	res, err := db.ExecContext(ctx, `INSERT INTO locks (lock_id, expires) VALUES ($1, $2)
		ON CONFLICT (lock_id) DO UPDATE SET expires = EXCLUDED.expires WHERE locks.expires < $3`, id, now.Add(ttl), now)
	if err != nil {
		return nil, err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return nil, errors.New("lock already in use")
	}
	return func() error {
		_, err := db.ExecContext(ctx, `DELETE FROM locks WHERE lock_id = $1`, id) // want `keyonlyrelease \(keyonly\)`
		return err
	}, nil
}

func main() {
	db, _ := sql.Open("pgx", "postgres://localhost/x")
	if unlock, err := Lock(context.Background(), db, "export", time.Minute); err == nil {
		defer unlock()
	}
}
