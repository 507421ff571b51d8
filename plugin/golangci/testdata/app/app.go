// Package app has one fault of each kind that a driver may miss.
package app

import (
	"context"
	"database/sql"

	"example.com/app/locks"
	"github.com/redis/go-redis/v9"
)

// direct needs the facts of package locks.
func direct(ctx context.Context, rdb *redis.Client, db *sql.DB) error {
	ok, err := locks.Acquire(ctx, rdb, "stock")
	if err != nil || !ok {
		return err
	}
	defer locks.Release(ctx, rdb, "stock")
	return sell(ctx, db)
}

// hidden needs to know who implements the interface.
func hidden(ctx context.Context, l locks.Locker, db *sql.DB) error {
	ok, err := l.Acquire(ctx, "stock")
	if err != nil || !ok {
		return err
	}
	defer l.Release(ctx, "stock")
	var n int
	if err := db.QueryRowContext(ctx, `SELECT n FROM stock WHERE id = 2`).Scan(&n); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE stock SET n = $1 WHERE id = 2`, n-1)
	return err
}

func sell(ctx context.Context, db *sql.DB) error {
	var n int
	if err := db.QueryRowContext(ctx, `SELECT n FROM stock WHERE id = 1`).Scan(&n); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE stock SET n = $1 WHERE id = 1`, n-1)
	return err
}
