// Case R082: the ownership column holds a stable worker name (host and pid). When the same
// worker takes the same run a second time, its abandoned first attempt still matches: it
// extends the second attempt's lease and overwrites its result. One write names no owner.
// To flag: the three writes: a name that is the same for all attempts is no fence.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

type worker struct {
	db *sql.DB
	me string
}

func newWorker(db *sql.DB, i int) *worker {
	h, _ := os.Hostname()
	return &worker{db, fmt.Sprintf("%s-%d-worker-%d", h, os.Getpid(), i)}
}

func (w *worker) claim(ctx context.Context, id int) bool {
	r, err := w.db.ExecContext(ctx, `UPDATE runs SET claimed_by = $1, lease_until = now() + interval '60 s', status = 'running'
		WHERE id = $2 AND (status = 'pending' OR lease_until < now())`, w.me, id)
	if err != nil {
		return false
	}
	n, _ := r.RowsAffected()
	return n == 1
}

func (w *worker) heartbeat(ctx context.Context, id int) {
	w.db.ExecContext(ctx, `UPDATE runs SET lease_until = now() + interval '60 s' WHERE id = $1 AND claimed_by = $2`, id, w.me) // want `unfencedwrite \(.*\)`
}

func (w *worker) release(ctx context.Context, id int) {
	w.db.ExecContext(ctx, `UPDATE runs SET claimed_by = NULL, lease_until = NULL WHERE id = $1 AND claimed_by = $2`, id, w.me) // want `keyonlyrelease \(constowner\)`
}

func (w *worker) finish(ctx context.Context, id int, out string) error {
	_, err := w.db.ExecContext(ctx, `UPDATE runs SET status = 'done', output = $2 WHERE id = $1 AND status = 'running'`, id, out) // want `unfencedwrite \(unfenced\)`
	return err
}

func main() {
	w := newWorker(nil, 0)
	if ctx := context.Background(); w.claim(ctx, 1) {
		w.heartbeat(ctx, 1)
		_ = w.finish(ctx, 1, "out")
		w.release(ctx, 1)
	}
}
