// Package migrations changes records once, when a new release starts, under a
// lease that spares the other replicas the same work.
package migrations

import (
	"context"
	"database/sql"

	"github.com/go-redsync/redsync/v4"
)

// Names fills a column that older releases left empty.
func Names(ctx context.Context, mutex *redsync.Mutex, db *sql.DB, id, name string) error {
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	_, err := db.ExecContext(ctx, `UPDATE account SET name = $1 WHERE id = $2`, name, id)
	return err
}
