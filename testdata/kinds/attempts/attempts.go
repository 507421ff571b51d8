// Package attempts names its workers after the host. Of tasks one change names
// no worker, so that nothing stops an attempt that was given up and wakes. Of
// jobs every change names the worker: only its own abandoned attempt could pass
// for it, and a worker makes one at a time.
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

func (w *worker) takeTask(ctx context.Context, task int) error {
	return one(w.db.ExecContext(ctx, `UPDATE tasks SET held_by = $1, lease_ends = now() + interval '30 s'
		WHERE id = $2 AND (held_by IS NULL OR lease_ends < now())`, w.name, task))
}

func (w *worker) beatTask(ctx context.Context, task int) error {
	return one(w.db.ExecContext(ctx, `UPDATE tasks SET lease_ends = now() + interval '30 s' WHERE id = $1 AND held_by = $2`, task, w.name)) // want `unfencedwrite \(unfenced\).*share`
}

func (w *worker) finishTask(ctx context.Context, task int, out string) error {
	return one(w.db.ExecContext(ctx, `UPDATE tasks SET result = $2 WHERE id = $1`, task, out)) // want `unfencedwrite \(unfenced\)`
}

func (w *worker) dropTask(ctx context.Context, task int) error {
	return one(w.db.ExecContext(ctx, `UPDATE tasks SET held_by = NULL, lease_ends = NULL WHERE id = $1 AND held_by = $2`, task, w.name)) // want `keyonlyrelease \(constowner\).*share`
}

func (w *worker) task(ctx context.Context, task int) error {
	if err := w.takeTask(ctx, task); err != nil {
		return err
	}
	if err := w.beatTask(ctx, task); err != nil {
		return err
	}
	if err := w.finishTask(ctx, task, "done"); err != nil {
		return err
	}
	return w.dropTask(ctx, task)
}

func (w *worker) takeJob(ctx context.Context, job int) error {
	return one(w.db.ExecContext(ctx, `UPDATE jobs SET held_by = $1, lease_ends = now() + interval '30 s'
		WHERE id = $2 AND (held_by IS NULL OR lease_ends < now())`, w.name, job))
}

func (w *worker) finishJob(ctx context.Context, job int, out string) error {
	return one(w.db.ExecContext(ctx, `UPDATE jobs SET result = $2 WHERE id = $1 AND held_by = $3`, job, out, w.name))
}

func (w *worker) dropJob(ctx context.Context, job int) error {
	return one(w.db.ExecContext(ctx, `UPDATE jobs SET held_by = NULL, lease_ends = NULL WHERE id = $1 AND held_by = $2`, job, w.name))
}

func (w *worker) job(ctx context.Context, job int) error {
	if err := w.takeJob(ctx, job); err != nil {
		return err
	}
	if err := one(w.db.ExecContext(ctx, `UPDATE jobs SET lease_ends = now() + interval '30 s' WHERE id = $1 AND held_by = $2`, job, w.name)); err != nil {
		return err
	}
	if err := w.finishJob(ctx, job, "done"); err != nil {
		return err
	}
	return w.dropJob(ctx, job)
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
