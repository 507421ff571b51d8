package marks

import (
	"context"

	"github.com/fencelint/fencelint/testdata/kinds/marks/clock"
)

// forget marks what it has read, and notes when.
func (q *queue) forget(ctx context.Context) error {
	if err := q.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer q.mutex.UnlockContext(context.WithoutCancel(ctx))
	var item string
	if err := q.db.QueryRowContext(ctx, `SELECT item FROM queue WHERE NOT is_deleted LIMIT 1`).Scan(&item); err != nil {
		return err
	}
	_, err := q.db.ExecContext(ctx, `UPDATE queue SET is_deleted = $1, forgotten = $2 WHERE item = $3`, true, clock.Micros(), item)
	return err
}

// price notes what is no time, wherever it comes from.
func (q *queue) price(ctx context.Context, item string, cents func() int64) error {
	if err := q.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer q.mutex.UnlockContext(context.WithoutCancel(ctx))
	_, err := q.db.ExecContext(ctx, `UPDATE queue SET is_deleted = $1, price = $2 WHERE item = $3`, true, cents(), item) // want `^unfencedwrite \(unfenced\)`
	return err
}
