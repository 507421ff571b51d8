// Package sqllocks frees and prolongs rows that are leases.
package sqllocks

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Locks is a table of leases that may be taken over after their end.
type Locks struct {
	db    *sql.DB
	owner string
}

const takeLock = `INSERT INTO locks (name, owner, expires_at) VALUES ($1, $2, $3)
ON CONFLICT (name) DO UPDATE SET owner = $2, expires_at = $3 WHERE locks.expires_at < now()`

// Acquire takes a lease.
func (l *Locks) Acquire(ctx context.Context, name string) error {
	res, err := l.db.ExecContext(ctx, takeLock, name, l.owner, time.Now().Add(time.Minute))
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.New("held by another")
	}
	return nil
}

// Release deletes whoever's row it is.
func (l *Locks) Release(ctx context.Context, name string) error {
	_, err := l.db.ExecContext(ctx, `DELETE FROM locks WHERE name = $1`, name) // want `keyonlyrelease \(keyonly\)`
	return err
}

// Reset empties whoever's row it is.
func (l *Locks) Unlock(ctx context.Context, name string) error {
	_, err := l.db.ExecContext(ctx, `UPDATE locks SET owner = NULL, expires_at = NULL WHERE name = $1`, name) // want `keyonlyrelease \(keyonly\)`
	return err
}

// Renew prolongs whoever's row it is.
func (l *Locks) Renew(ctx context.Context, name string) error {
	_, err := l.db.ExecContext(ctx, `UPDATE locks SET expires_at = $2 WHERE name = $1`, name, time.Now().Add(time.Minute)) // want `keyonlyrelease \(keyonly\): .* prolongs`
	return err
}

// ReleaseOwn compares the owner in the same step.
func (l *Locks) ReleaseOwn(ctx context.Context, name string) error {
	_, err := l.db.ExecContext(ctx, `DELETE FROM locks WHERE name = $1 AND owner = $2`, name, l.owner)
	return err
}

// RenewOwn compares the owner in the same step.
func (l *Locks) RenewOwn(ctx context.Context, name string) error {
	_, err := l.db.ExecContext(ctx, `UPDATE locks SET expires_at = $3 WHERE name = $1 AND owner = $2`, name, l.owner, time.Now().Add(time.Minute))
	return err
}

// Expire removes what has ended, whoever held it.
func (l *Locks) Expire(ctx context.Context) error {
	_, err := l.db.ExecContext(ctx, `DELETE FROM locks WHERE expires_at < now()`)
	return err
}
