// Package marks updates rows in ways that a second holder may repeat, or that the
// row's own state refuses, and beside each in a way that loses something.
package marks

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/lib/pq"
)

type queue struct {
	mutex *redsync.Mutex
	db    *sql.DB
}

func (q *queue) remove(ctx context.Context, item string) error {
	_, err := q.db.ExecContext(ctx, `UPDATE queue SET is_deleted = $1 WHERE name = $2 AND item = $3`, true, "files", item)
	return err
}

func (q *queue) paint(ctx context.Context, item string) error {
	_, err := q.db.ExecContext(ctx, `UPDATE queue SET color = 'red' WHERE item = $1`, item) // want `^unfencedwrite \(unfenced\)`
	return err
}

// leave takes a place out of the row's list: it is out, however often.
func (q *queue) leave(ctx context.Context, item, place string) error {
	_, err := q.db.ExecContext(ctx, `UPDATE copies SET places = array_remove(places, $1) WHERE item = $2`, place, item)
	return err
}

func (q *queue) enter(ctx context.Context, item, place string) error {
	_, err := q.db.ExecContext(ctx, `UPDATE places SET items = array_append(items, $1) WHERE place = $2`, item, place) // want `^unfencedwrite \(unfenced\)`
	return err
}

// move tells two places of an item that has moved.
func (q *queue) move(ctx context.Context, item string) error {
	if err := q.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer q.mutex.UnlockContext(context.WithoutCancel(ctx))
	if err := q.leave(ctx, item, "cellar"); err != nil {
		return err
	}
	return q.enter(ctx, item, "attic")
}

// drop marks what it has read.
func (q *queue) drop(ctx context.Context) error {
	if err := q.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer q.mutex.UnlockContext(context.WithoutCancel(ctx))
	var item string
	if err := q.db.QueryRowContext(ctx, `SELECT item FROM queue WHERE NOT is_deleted LIMIT 1`).Scan(&item); err != nil {
		return err
	}
	if err := q.remove(ctx, item); err != nil {
		return err
	}
	return q.paint(ctx, item)
}

// seen names by what was read the rows only; the last one stores it.
func (q *queue) seen(ctx context.Context) error {
	if err := q.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer q.mutex.UnlockContext(context.WithoutCancel(ctx))
	var ids []int64
	var last int64
	if err := q.db.QueryRowContext(ctx, `SELECT array_agg(id), max(at) FROM visits`).Scan(pq.Array(&ids), &last); err != nil {
		return err
	}
	if _, err := q.db.ExecContext(ctx, `UPDATE visits SET last_seen = $1 WHERE id = ANY($2)`, time.Now(), pq.Array(ids)); err != nil {
		return err
	}
	_, err := q.db.ExecContext(ctx, `UPDATE visits SET last_seen = $1 WHERE id = ANY($2)`, last, pq.Array(ids)) // want `^unfencedwrite \(rmw\)`
	return err
}

func (q *queue) step(ctx context.Context, id int64, status string, before []string) (bool, error) {
	res, err := q.db.ExecContext(ctx, `UPDATE recovery SET status = $1 WHERE id = $2 AND status = ANY($3)`, status, id, pq.Array(before))
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

func (q *queue) jump(ctx context.Context, id int64, status string) error {
	_, err := q.db.ExecContext(ctx, `UPDATE recovery SET status = $1 WHERE id = $2`, status, id) // want `^unfencedwrite \(rmw\)`
	return err
}

// finish stores what it was told beside the state: the first to come decides.
func (q *queue) finish(ctx context.Context, id int64, text string) error {
	_, err := q.db.ExecContext(ctx, `UPDATE outcome SET status = 'done', output = $1 WHERE id = $2 AND status = 'running'`, text, id) // want `^unfencedwrite \(unfenced\)`
	return err
}

// settle looks whether its row was there: who comes late finds none.
func (q *queue) settle(ctx context.Context, id int64, text string) error {
	res, err := q.db.ExecContext(ctx, `UPDATE outcome SET status = 'done', output = $1 WHERE id = $2 AND status = 'running'`, text, id)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("not settled"))
	}
	return nil
}

// locked runs one piece of work under the lock.
func (q *queue) locked(ctx context.Context, work func() error) error {
	if err := q.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer q.mutex.UnlockContext(context.WithoutCancel(ctx))
	return work()
}

func (q *queue) next(ctx context.Context, id int64) (next string, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT next FROM recovery WHERE id = $1`, id).Scan(&next)
	return next, err
}

func (q *queue) promote(ctx context.Context, id int64) error {
	return q.locked(ctx, func() error {
		next, err := q.next(ctx, id)
		if err != nil {
			return err
		}
		_, err = q.step(ctx, id, next, []string{"waiting"})
		return err
	})
}

func (q *queue) skip(ctx context.Context, id int64) error {
	return q.locked(ctx, func() error {
		next, err := q.next(ctx, id)
		if err != nil {
			return err
		}
		return q.jump(ctx, id, next)
	})
}

func (q *queue) raise(ctx context.Context, id int64) error {
	return q.locked(ctx, func() error {
		_, err := q.db.ExecContext(ctx, `UPDATE recovery SET level = 2 WHERE id = $1 AND level = 1`, id)
		return err
	})
}

func (q *queue) lift(ctx context.Context, id int64) error {
	return q.locked(ctx, func() error {
		_, err := q.db.ExecContext(ctx, `UPDATE recovery SET level = 2 WHERE id = $1`, id) // want `^unfencedwrite \(unfenced\)`
		return err
	})
}

func (q *queue) end(ctx context.Context, id int64, text string) error {
	return q.locked(ctx, func() error { return q.finish(ctx, id, text) })
}

func (q *queue) endOnce(ctx context.Context, id int64, text string) error {
	return q.locked(ctx, func() error { return q.settle(ctx, id, text) })
}
