package checks

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Expiries that are no leases.

type claims struct {
	Subject   string
	ExpiresAt time.Time
}

func authorised(ctx context.Context, db *sql.DB, c claims) error {
	if time.Now().After(c.ExpiresAt) {
		return errors.New("token expired")
	}
	_, err := db.ExecContext(ctx, `UPDATE users SET seen = now() WHERE id = $1`, c.Subject)
	return err
}

type entry struct {
	value  string
	expiry time.Time
}

type cache struct {
	db      *sql.DB
	entries map[string]entry
}

func (c *cache) refresh(ctx context.Context, id string) error {
	if e, ok := c.entries[id]; ok && time.Now().Before(e.expiry) {
		return nil
	}
	_, err := c.db.ExecContext(ctx, `UPDATE lookups SET n = n + 1 WHERE id = $1`, id)
	return err
}

type session struct {
	ID      string
	Expires time.Time
}

func (s *session) valid() bool { return time.Now().Before(s.Expires) }

func (s *session) visit(ctx context.Context, db *sql.DB) error {
	if !s.valid() {
		return errors.New("log in again")
	}
	_, err := db.ExecContext(ctx, `UPDATE visits SET n = n + 1 WHERE session = $1`, s.ID)
	return err
}

// Optimistic locking without a lease is another fault.
func optimistic(ctx context.Context, db *sql.DB, id string, version int) error {
	var now int
	if err := db.QueryRowContext(ctx, `SELECT version FROM documents WHERE id = $1`, id).Scan(&now); err != nil {
		return err
	}
	if now != version {
		return errors.New("changed meanwhile")
	}
	_, err := db.ExecContext(ctx, `UPDATE documents SET version = version + 1 WHERE id = $1`, id)
	return err
}
