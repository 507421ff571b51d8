// Case R080: in one transaction the worker looks whether its claim is still current, then
// updates by id. At READ COMMITTED the plain SELECT locks nothing; a successor steals the
// claim between the two statements, and the stale update goes through.
// To flag: the UPDATE that is keyed on the id alone, after a non-locking check of the claim.
package main

import (
	"context"
	"database/sql"
	"errors"
)

var ErrFenced = errors.New("fenced out")

type Claim struct {
	Session string
	Epoch   int64
}

func appendLog(ctx context.Context, db *sql.DB, c Claim, line, status string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var current bool
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM session WHERE id = $1 AND epoch = $2)`, c.Session, c.Epoch).Scan(&current)
	if err != nil {
		return err
	}
	if !current {
		return ErrFenced
	}
	if _, err := tx.ExecContext(ctx, `UPDATE session SET status = $2, last = $3 WHERE id = $1`, c.Session, status, line); err != nil { // want `ttlcheck \(tokencompare\)`
		return err
	}
	return tx.Commit()
}

func main() { _ = appendLog(context.Background(), nil, Claim{"s", 3}, "x", "failed") }
