package secured

import (
	"context"
	"database/sql"
)

// querier is a transaction or a pool of connections.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func lockedSum(ctx context.Context, q querier, user string) (sum int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT sum FROM balances WHERE name = $1 FOR UPDATE`, user).Scan(&sum)
	return sum, err
}

func setSum(ctx context.Context, q querier, user string, sum int64) error {
	_, err := q.ExecContext(ctx, `UPDATE balances SET sum = $1 WHERE name = $2`, sum, user)
	return err
}

// setDebt is the same for rows that nobody locks.
func setDebt(ctx context.Context, q querier, user string, sum int64) error {
	_, err := q.ExecContext(ctx, `UPDATE debts SET sum = $1 WHERE name = $2`, sum, user) // want `^unfencedwrite \(unfenced\)`
	return err
}

// Earn reads the row under its lock and changes it in the same transaction,
// both by functions of their own.
func (b *bank) Earn(ctx context.Context, user string) error {
	return b.run(ctx, func(tx *sql.Tx) error {
		sum, err := lockedSum(ctx, tx, user)
		if err != nil {
			return err
		}
		if err := setDebt(ctx, tx, user, sum-1); err != nil {
			return err
		}
		return setSum(ctx, tx, user, sum+1)
	})
}

// lender changes what it has read past the transaction that locks the row.
type lender struct{ bank }

func setLoan(ctx context.Context, q querier, user string, sum int64) error {
	_, err := q.ExecContext(ctx, `UPDATE loans SET sum = $1 WHERE name = $2`, sum, user) // want `^unfencedwrite \(rmw\)`
	return err
}

func lockedLoan(ctx context.Context, q querier, user string) (sum int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT sum FROM loans WHERE name = $1 FOR UPDATE`, user).Scan(&sum)
	return sum, err
}

// Borrow reads in one transaction and writes outside of it.
func (l *lender) Borrow(ctx context.Context, user string) error {
	return l.run(ctx, func(tx *sql.Tx) error {
		sum, err := lockedLoan(ctx, tx, user)
		if err != nil {
			return err
		}
		return setLoan(ctx, l.db, user, sum+1)
	})
}
