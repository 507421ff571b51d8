// Package tasks holds a table of locks.
package tasks

import (
	"context"
	"database/sql"
	"log"
	"time"
)

// Tasks folds error and answer of the acquire into one bool.
type Tasks struct{ DB *sql.DB }

func (t *Tasks) Try(ctx context.Context, name, owner string) bool {
	res, err := t.DB.ExecContext(ctx, `INSERT INTO task_lock (name, owner, until) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET owner = $2, until = $3 WHERE task_lock.until < now()`, name, owner, time.Now().Add(time.Minute))
	if err != nil {
		return false
	}
	n, err := res.RowsAffected()
	return err == nil && n == 1
}

func (t *Tasks) Free(ctx context.Context, name string) {
	_, err := t.DB.ExecContext(ctx, `DELETE FROM task_lock WHERE name = $1`, name) // want `keyonlyrelease \(keyonly\)`
	if err != nil {
		log.Print(err)
	}
}
