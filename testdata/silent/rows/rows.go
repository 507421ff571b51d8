// Package rows looks at how many rows there are, and at rows that it has locked.
package rows

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-redsync/redsync/v4"
)

type logs struct {
	db    *sql.DB
	mutex *redsync.Mutex
}

const lockFile = `WITH locked_file AS (SELECT id, runs FROM files WHERE name = $1 FOR UPDATE)
	SELECT runs FROM locked_file`

// runsOf locks the row of a file, until tx ends.
func runsOf(ctx context.Context, tx *sql.Tx, file string) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, lockFile, file)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, rows.Err()
}

// Append adds to a file, if it is where the caller thinks it is.
func (l *logs) Append(ctx context.Context, file, text string, run int64) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	runs, err := runsOf(ctx, tx, file)
	if err != nil {
		return err
	}
	for i := 0; i < len(runs); i++ {
		if runs[i] != run {
			return errors.New("another run has begun")
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE files SET text = $1 WHERE name = $2`, text, file); err != nil {
		return err
	}
	return tx.Commit()
}

const lockedRows = `SELECT id FROM locked_rows WHERE file = $1`

// Count stores how many rows are locked.
func (l *logs) Count(ctx context.Context, file string, atLeast int) error {
	rows, err := l.db.QueryContext(ctx, lockedRows, file)
	if err != nil {
		return err
	}
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	if len(names) < atLeast {
		return errors.New("too few")
	}
	_, err = l.db.ExecContext(ctx, `UPDATE counts SET n = $1 WHERE file = $2`, atLeast, file)
	return err
}

// Clean is here so that the package takes a lease at all.
func (l *logs) Clean(ctx context.Context) error {
	if err := l.mutex.LockContext(ctx); err != nil {
		return err
	}
	_, err := l.mutex.UnlockContext(ctx)
	return err
}

// AppendOwned compares the owner of a lock whose row stays locked until the
// change is there.
func (l *logs) AppendOwned(ctx context.Context, file, text, me string) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var owner string
	if err := tx.QueryRowContext(ctx, `SELECT owner FROM file_locks WHERE name = $1 FOR UPDATE`, file).Scan(&owner); err != nil {
		return err
	}
	if owner != me {
		return errors.New("not mine")
	}
	if err := storeText(ctx, tx, file, text); err != nil {
		return err
	}
	return tx.Commit()
}

func storeText(ctx context.Context, tx *sql.Tx, file, text string) error {
	_, err := tx.ExecContext(ctx, `UPDATE files SET text = $1 WHERE name = $2`, text, file)
	return err
}
