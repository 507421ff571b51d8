// Package locks keeps locks in Redis, and the rows in SQL.
package locks

import (
	"context"
	"database/sql"

	"github.com/go-redsync/redsync/v4"
)

// Redis is an under.Locker and a reports.Locker.
type Redis struct {
	RS   *redsync.Redsync
	held map[string]*redsync.Mutex
}

func (r *Redis) Lock(ctx context.Context, name string) (bool, error) {
	m := r.RS.NewMutex(name)
	if err := m.TryLockContext(ctx); err != nil {
		return false, err
	}
	r.held[name] = m
	return true, nil
}

func (r *Redis) Unlock(ctx context.Context, name string) error {
	_, err := r.held[name].UnlockContext(ctx)
	return err
}

// Rows is a reports.Rows.
type Rows struct{ DB *sql.DB }

func (r *Rows) Add(ctx context.Context, n int) error {
	_, err := r.DB.ExecContext(ctx, "UPDATE reports SET n = n + $1", n)
	return err
}
