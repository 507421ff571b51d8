package inventory

import (
	"context"
	"database/sql"
	"errors"

	"github.com/redis/go-redis/v9"
)

// ErrSoldOut says that there is too little in stock.
var ErrSoldOut = errors.New("sold out")

// Reserve takes n pieces of an item out of stock. A worker that stalls after
// the SELECT overwrites what others have counted meanwhile.
func Reserve(ctx context.Context, rdb *redis.Client, db *sql.DB, item string, n int) error {
	lock, err := Acquire(ctx, rdb, item)
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))

	var stock int
	if err := db.QueryRowContext(ctx, "SELECT stock FROM items WHERE id = ?", item).Scan(&stock); err != nil {
		return err
	}
	if stock < n {
		return ErrSoldOut
	}
	_, err = db.ExecContext(ctx, "UPDATE items SET stock = ? WHERE id = ?", stock-n, item)
	return err
}
