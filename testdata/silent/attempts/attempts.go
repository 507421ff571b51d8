// Package attempts names its workers after the host. Every change under the
// lease names the worker, so that only its own abandoned attempt could pass for
// it, and a worker makes one at a time.
package attempts

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

type worker struct {
	db   *sql.DB
	name string
}

func newWorker(db *sql.DB, lane int) *worker {
	host, _ := os.Hostname()
	return &worker{db, fmt.Sprintf("%s/%d", host, lane)}
}

func workers(db *sql.DB) []*worker {
	var ws []*worker
	for lane := range 4 {
		ws = append(ws, newWorker(db, lane))
	}
	return ws
}

func (w *worker) take(ctx context.Context, task int) (bool, error) {
	res, err := w.db.ExecContext(ctx, `UPDATE tasks SET held_by = $1, lease_ends = now() + interval '30 s'
		WHERE id = $2 AND (held_by IS NULL OR lease_ends < now())`, w.name, task)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

func (w *worker) beat(ctx context.Context, task int) error {
	return one(w.db.ExecContext(ctx, `UPDATE tasks SET lease_ends = now() + interval '30 s' WHERE id = $1 AND held_by = $2`, task, w.name))
}

func (w *worker) finish(ctx context.Context, task int, out string) error {
	return one(w.db.ExecContext(ctx, `UPDATE tasks SET result = $2 WHERE id = $1 AND held_by = $3`, task, out, w.name))
}

func (w *worker) drop(ctx context.Context, task int) error {
	return one(w.db.ExecContext(ctx, `UPDATE tasks SET held_by = NULL, lease_ends = NULL WHERE id = $1 AND held_by = $2`, task, w.name))
}

func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("not held any more: %w", err)
	}
	return nil
}

func (w *worker) work(ctx context.Context, task int) error {
	ok, err := w.take(ctx, task)
	if err != nil || !ok {
		return err
	}
	if err := w.beat(ctx, task); err != nil {
		return err
	}
	if err := w.finish(ctx, task, "done"); err != nil {
		return err
	}
	return w.drop(ctx, task)
}
