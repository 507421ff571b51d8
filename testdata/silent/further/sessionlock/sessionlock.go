// Package sessionlock locks database sessions that it keeps.
package sessionlock

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

func pinned(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, 42); err != nil {
		return err
	}
	_, err = conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, 42)
	return err
}

func acquired(ctx context.Context, p *pgxpool.Pool) error {
	conn, err := p.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	_, err = conn.Exec(ctx, `SELECT pg_advisory_lock(7)`)
	return err
}

// The lock ends with its transaction.
func ofTransaction(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(7)`); err != nil {
		return err
	}
	return tx.Commit()
}

// A mapper's transaction has the type of its pool.
func ofMapper(db *gorm.DB) error {
	return db.Transaction(func(tx *gorm.DB) error {
		return tx.Exec("SELECT pg_advisory_lock(1)").Error
	})
}

// Lock and release in one text run on one connection.
func inOneGo(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `SELECT pg_advisory_lock(1); CREATE TABLE IF NOT EXISTS t (id int); SELECT pg_advisory_unlock(1)`)
	return err
}

// Whether somebody holds it is a question for any connection.
func isFree(ctx context.Context, db *sql.DB) (free bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT IS_FREE_LOCK(?)`, "migrate").Scan(&free)
	return free, err
}

// Whose pool it is, the caller knows.
func passedOn(ctx context.Context, q interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}) error {
	_, err := q.ExecContext(ctx, `SELECT pg_advisory_lock(1)`)
	return err
}
