// Package secured changes rows in transactions of its own, which is enough where
// the row was read under its lock, or found by a condition.
package secured

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"github.com/go-redsync/redsync/v4"
)

type bank struct {
	mutex *redsync.Mutex
	db    *sql.DB
}

// add reads the row under its lock: whoever comes later reads the new sum.
func add(ctx context.Context, tx *sql.Tx, user string, n int64) error {
	var sum int64
	if err := tx.QueryRowContext(ctx, `SELECT sum FROM accounts WHERE name = $1 FOR UPDATE`, user).Scan(&sum); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET sum = $1 WHERE name = $2`, sum+n, user)
	return err
}

// put reads the row without its lock.
func put(ctx context.Context, tx *sql.Tx, user string, n int64) error {
	var sum int64
	if err := tx.QueryRowContext(ctx, `SELECT sum FROM accounts WHERE name = $1`, user).Scan(&sum); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE accounts SET sum = $1 WHERE name = $2`, sum+n, user) // want `^unfencedwrite \(rmw\)`
	return err
}

// other locks one row and changes that of another table.
func other(ctx context.Context, tx *sql.Tx, user string, n int64) error {
	var sum int64
	if err := tx.QueryRowContext(ctx, `SELECT sum FROM accounts WHERE name = $1 FOR UPDATE`, user).Scan(&sum); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE reports SET text = $1 WHERE name = $2`, n, user) // want `^unfencedwrite \(unfenced\)`
	return err
}

// reward pays once: the second time there is no row left to mark.
func reward(ctx context.Context, tx *sql.Tx, user string) error {
	res, err := tx.ExecContext(ctx, `UPDATE invited SET paid = true WHERE name = $1 AND paid = false`, user)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("paid before")
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO payments (name, sum) VALUES ($1, 10)`, user)
	return err
}

// repay pays whether or not there was a row.
func repay(ctx context.Context, tx *sql.Tx, user string) error {
	res, err := tx.ExecContext(ctx, `UPDATE invited SET repaid = true WHERE name = $1 AND repaid = false`, user)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	log.Print(n, " rows marked")
	_, err = tx.ExecContext(ctx, `INSERT INTO payments (name, sum) VALUES ($1, 10)`, user) // want `^unfencedwrite \(unfenced\)`
	return err
}

// run gives work a transaction and the lock.
func (b *bank) run(ctx context.Context, work func(tx *sql.Tx) error) error {
	if err := b.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer b.mutex.UnlockContext(context.WithoutCancel(ctx))
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Add, Put, Other, Reward and Repay all work under the lock.
func (b *bank) Add(ctx context.Context, user string) error {
	return b.run(ctx, func(tx *sql.Tx) error { return add(ctx, tx, user, 1) })
}

func (b *bank) Put(ctx context.Context, user string) error {
	return b.run(ctx, func(tx *sql.Tx) error { return put(ctx, tx, user, 1) })
}

func (b *bank) Other(ctx context.Context, user string) error {
	return b.run(ctx, func(tx *sql.Tx) error { return other(ctx, tx, user, 1) })
}

func (b *bank) Reward(ctx context.Context, user string) error {
	return b.run(ctx, func(tx *sql.Tx) error { return reward(ctx, tx, user) })
}

func (b *bank) Repay(ctx context.Context, user string) error {
	return b.run(ctx, func(tx *sql.Tx) error { return repay(ctx, tx, user) })
}
