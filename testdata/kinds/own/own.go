// Package own looks like silent/own, and is not: the name was read back, is a
// setting that all processes share, or the claim is given up after success too.
package own

import (
	"context"
	"database/sql"
	"net/http"
	"os"
	"strings"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type run struct{ ID string }

type worker struct {
	mutex  *redsync.Mutex
	rdb    *redis.Client
	db     *sql.DB
	client *http.Client
	tenant string
}

func newWorker(mutex *redsync.Mutex, rdb *redis.Client, db *sql.DB) *worker {
	return &worker{mutex: mutex, rdb: rdb, db: db, tenant: os.Getenv("TENANT")}
}

func newRun() *run { return &run{ID: uuid.NewString()} }

// finish changes a run that anybody may have begun.
func (w *worker) finish(ctx context.Context, r *run) error {
	if err := w.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer w.mutex.UnlockContext(context.WithoutCancel(ctx))
	_, err := w.db.ExecContext(ctx, `UPDATE run SET state = 'done' WHERE id = $1`, r.ID) // want `^unfencedwrite \(unfenced\)`
	return err
}

// status is kept under a name that all processes have.
func (w *worker) status(ctx context.Context) error {
	if err := w.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer w.mutex.UnlockContext(context.WithoutCancel(ctx))
	return w.rdb.Set(ctx, "status:"+w.tenant, "leading", 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// order changes the other side.
func (w *worker) order(ctx context.Context, item string) error {
	if err := w.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer w.mutex.UnlockContext(context.WithoutCancel(ctx))
	return w.orderItem(ctx, item)
}

// drain marks a pod that somebody else names.
func (w *worker) drain(ctx context.Context, pod string) error {
	if err := w.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer w.mutex.UnlockContext(context.WithoutCancel(ctx))
	req, err := http.NewRequestWithContext(ctx, http.MethodPatch, "http://localhost/pods/"+pod, strings.NewReader("drained"))
	if err != nil {
		return err
	}
	resp, err := w.client.Do(req) // want `^unfencedwrite \(external\)`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (w *worker) orderItem(ctx context.Context, item string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/order", strings.NewReader(item))
	if err != nil {
		return err
	}
	resp, err := w.client.Do(req) // want `^unfencedwrite \(external\)`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
