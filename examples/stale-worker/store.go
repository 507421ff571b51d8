package main

import (
	"context"
	"database/sql"
	"time"

	_ "modernc.org/sqlite"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

// store is an account in a SQLite file, with leases and a guard beside it.
type store struct {
	db     *sql.DB
	client *fence.Client
	guard  *sqlfence.Guard
	fenced bool
}

func newStore(ctx context.Context, file string, fenced bool) (*store, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err != nil {
		return nil, err
	}
	s, err := over(ctx, db, fenced)
	if err != nil {
		_ = db.Close() // the first error is the one to tell
		return nil, err
	}
	return s, nil
}

func over(ctx context.Context, db *sql.DB, fenced bool) (*store, error) {
	if err := sqlfence.Migrate(ctx, db, sqlfence.SQLite); err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)"); err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO account VALUES (7, 100)"); err != nil {
		return nil, err
	}
	locker, err := sqlfence.NewLocker(db, sqlfence.SQLite)
	if err != nil {
		return nil, err
	}
	guard, err := sqlfence.NewGuard(db, sqlfence.SQLite)
	if err != nil {
		return nil, err
	}
	// A stalled process renews nothing; here only a goroutine stalls.
	client := fence.New(locker, fence.WithTTL(lease), fence.WithoutKeepAlive(), fence.WithRetry(5*time.Millisecond, 20*time.Millisecond))
	return &store{db: db, client: client, guard: guard, fenced: fenced}, nil
}

// acquire takes the lock. With a fence, the store knows the new ownership
// before acquire returns, and so before the worker reads.
func (s *store) acquire(ctx context.Context) (*fence.Lease, error) {
	if s.fenced {
		return s.client.Acquire(ctx, "account-7", fence.Registering(s.guard))
	}
	return s.client.Acquire(ctx, "account-7")
}

func (s *store) balance(ctx context.Context) (balance int, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = 7").Scan(&balance)
	return balance, err
}

// set writes the balance that a worker has computed.
func (s *store) set(ctx context.Context, l *fence.Lease, balance int) error {
	const update = "UPDATE account SET balance = ? WHERE id = 7"
	if !s.fenced {
		_, err := s.db.ExecContext(ctx, update, balance)
		return err
	}
	grant, err := l.Grant(s.guard)
	if err != nil {
		return err
	}
	return s.guard.Tx(ctx, grant, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, update, balance)
		return err
	})
}
