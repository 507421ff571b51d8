// Package oneconnection has a pool of one connection.
package oneconnection

import (
	"context"
	"database/sql"
)

func open(dsn string) (*sql.DB, error) {
	db, err := sql.Open("postgres", dsn)
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

func lock(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `SELECT pg_advisory_lock(1)`)
	return err
}
