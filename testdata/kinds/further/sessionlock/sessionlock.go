// Package sessionlock locks database sessions through pools.
package sessionlock

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
)

func work() {}

func postgres(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, 42); err != nil { // want `sessionlock \(sessionlockpooled\): sql pg_advisory_lock locks the session of whatever connection is free`
		return err
	}
	defer db.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, 42) // want `sessionlock \(sessionlockpooled\): sql pg_advisory_unlock runs on whatever connection is free`
	work()
	return nil
}

func pool(ctx context.Context, p *pgxpool.Pool) (ok bool, err error) {
	err = p.QueryRow(ctx, `SELECT pg_try_advisory_lock(7)`).Scan(&ok) // want `sessionlock \(sessionlockpooled\): sql pg_try_advisory_lock`
	return ok, err
}

const getLock = "SELECT GET_LOCK(?, 0)"

func mysql(ctx context.Context, db *sqlx.DB) (n int, err error) {
	err = db.GetContext(ctx, &n, getLock, "migrate") // want `sessionlock \(sessionlockpooled\): sql get_lock`
	return n, err
}

type store struct{ db *gorm.DB }

func (s *store) lock(ctx context.Context) error {
	return s.db.WithContext(ctx).Exec("SELECT pg_advisory_lock(1)").Error // want `sessionlock \(sessionlockpooled\)`
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

type locker struct{ q execer }

func newLocker(db *sql.DB) *locker { return &locker{q: db} }

func (l *locker) run(ctx context.Context, text string) error {
	_, err := l.q.ExecContext(ctx, text, "x")
	return err
}

func (l *locker) lock(ctx context.Context) error {
	return l.run(ctx, "SELECT GET_LOCK(?, 10)") // want `sessionlock \(sessionlockpooled\)`
}
