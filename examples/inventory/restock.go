package inventory

import (
	"context"
	"database/sql"
	"errors"

	"github.com/redis/go-redis/v9"
)

// Restock stores what was counted in the warehouse. It looks at the lease
// before it writes, which only makes the fault rarer: the worker can stall
// between the two.
func Restock(ctx context.Context, rdb *redis.Client, db *sql.DB, item string, count func() int) error {
	lock, err := Acquire(ctx, rdb, item)
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))

	counted := count() // takes a while
	left, err := rdb.TTL(ctx, lock.name).Result()
	if err != nil {
		return err
	}
	if left <= 0 {
		return errors.New("the lease has ended")
	}
	_, err = db.ExecContext(ctx, "UPDATE items SET stock = ? WHERE id = ?", counted, item)
	return err
}
