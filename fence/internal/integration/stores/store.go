package stores

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

// A Place says where a store is.
type Place struct {
	Driver  string // of database/sql
	DSN     string
	Dialect sqlfence.Dialect
}

// Postgres is a place on PostgreSQL: dsn as servers gives it. Each statement
// is one round trip, lock waits end after lockTimeout and idle transactions
// after idleTimeout; zero means never.
func Postgres(dsn string, lockTimeout, idleTimeout time.Duration) Place {
	q := url.Values{"default_query_exec_mode": {"exec"}}
	q.Set("lock_timeout", fmt.Sprint(lockTimeout.Milliseconds()))
	q.Set("idle_in_transaction_session_timeout", fmt.Sprint(idleTimeout.Milliseconds()))
	return Place{Driver: "pgx", DSN: dsn + "&" + q.Encode(), Dialect: sqlfence.PostgreSQL}
}

// MariaDB is a place on MariaDB. The server counts both times in seconds.
func MariaDB(dsn string, lockTimeout, idleTimeout time.Duration) Place {
	q := url.Values{"interpolateParams": {"true"}}
	if lockTimeout > 0 {
		q.Set("innodb_lock_wait_timeout", fmt.Sprint(max(1, int(lockTimeout.Seconds()))))
	}
	if idleTimeout > 0 {
		q.Set("idle_transaction_timeout", fmt.Sprint(max(1, int(idleTimeout.Seconds()))))
	}
	return Place{Driver: "mysql", DSN: dsn + "?" + q.Encode(), Dialect: sqlfence.MySQL}
}

// SQLite is a place in a file.
func SQLite(path string, lockTimeout time.Duration) Place {
	return Place{Driver: "sqlite", Dialect: sqlfence.SQLite, DSN: "file:" + path +
		fmt.Sprintf("?_txlock=immediate&_pragma=busy_timeout(%d)", max(1, lockTimeout.Milliseconds())) +
		"&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"}
}

// Store is an open store.
type Store struct {
	Place
	DB      *sql.DB
	Locker  *sqlfence.Locker
	Guard   *sqlfence.Guard // records apart from the data
	Columns *sqlfence.Guard // records in the rows of item
}

// Open opens a store and makes no table.
func Open(p Place, opts ...sqlfence.Option) (*Store, error) {
	db, err := sql.Open(p.Driver, p.DSN)
	if err != nil {
		return nil, err
	}
	s, err := Over(db, p, opts...)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// Over makes a store over a database that is open already.
func Over(db *sql.DB, p Place, opts ...sqlfence.Option) (*Store, error) {
	s := &Store{Place: p, DB: db}
	var err error
	if s.Locker, err = sqlfence.NewLocker(db, p.Dialect, opts...); err != nil {
		return nil, err
	}
	if s.Guard, err = sqlfence.NewGuard(db, p.Dialect, opts...); err != nil {
		return nil, err
	}
	s.Columns, err = sqlfence.NewColumns(db, p.Dialect, "item", "id", opts...)
	return s, err
}

// Close closes the database.
func (s *Store) Close() error { return s.DB.Close() }

// Migrate makes all tables.
func (s *Store) Migrate(ctx context.Context) error {
	if err := sqlfence.Migrate(ctx, s.DB, s.Dialect); err != nil {
		return err
	}
	text, number, engine := "TEXT", "BIGINT", ""
	if s.Dialect == sqlfence.MySQL {
		text, engine = "VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin", " ENGINE=InnoDB"
	}
	_, err := s.DB.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS item (id "+text+" NOT NULL PRIMARY KEY, value VARCHAR(8000) NOT NULL, fence_issuer "+text+
		" NULL, fence_token "+number+" NULL, fence_owner "+text+" NULL)"+engine)
	return err
}

// Text puts $1, $2, … into the dialect's form; they must be in this order.
func (s *Store) Text(query string) string {
	if s.Dialect == sqlfence.PostgreSQL {
		return query
	}
	var b strings.Builder
	for i := 0; i < len(query); i++ {
		if query[i] == '$' {
			b.WriteByte('?')
			i++
			continue
		}
		b.WriteByte(query[i])
	}
	return b.String()
}

// Executor is *sql.DB, *sql.Tx or *sql.Conn.
type Executor interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// Exec runs a statement with $1, $2, … in order.
func (s *Store) Exec(ctx context.Context, e Executor, query string, args ...any) error {
	_, err := e.ExecContext(ctx, s.Text(query), args...)
	return err
}

// Put sets an item, unguarded.
func (s *Store) Put(ctx context.Context, e Executor, key, value string) error {
	end := " ON CONFLICT (id) DO UPDATE SET value = excluded.value"
	if s.Dialect == sqlfence.MySQL {
		end = " ON DUPLICATE KEY UPDATE value = VALUES(value)"
	}
	return s.Exec(ctx, e, "INSERT INTO item (id, value) VALUES ($1, $2)"+end, key, value)
}

// Get reads an item, "" if there is none.
func (s *Store) Get(ctx context.Context, e Executor, key string) (string, error) {
	var value string
	err := e.QueryRowContext(ctx, s.Text("SELECT value FROM item WHERE id = $1"), key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}

// Read is Get outside of a transaction.
func (s *Store) Read(ctx context.Context, key string) (string, error) {
	return s.Get(ctx, s.DB, key)
}

// Write sets an item in a guarded transaction.
func (s *Store) Write(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
	return s.Guard.Tx(ctx, g, func(tx *sql.Tx) error { return s.Put(ctx, tx, key, value) }, opts...)
}

// Expire ends the lease of a lock.
func (s *Store) Expire(ctx context.Context, name string) error {
	past := map[sqlfence.Dialect]string{sqlfence.PostgreSQL: "'-infinity'", sqlfence.MySQL: "'1970-01-01 00:00:01'", sqlfence.SQLite: "0"}
	return s.Exec(ctx, s.DB, "UPDATE fence_lease SET expires_at = "+past[s.Dialect]+" WHERE name = $1", name)
}

// Lose sets the tokens of a lock back to last and ends its hold, as a restored
// backup does.
func (s *Store) Lose(ctx context.Context, name string, last driver.Token) error {
	return s.Exec(ctx, s.DB, "UPDATE fence_lease SET owner = NULL, issued = $1 WHERE name = $2", int64(last), name)
}

// Record sets the guard's record behind its back; with a resource alone it
// removes the record.
func (s *Store) Record(ctx context.Context, g driver.Grant) error {
	if err := s.Exec(ctx, s.DB, "DELETE FROM fence_guard WHERE resource = $1", g.Resource); err != nil || g.Issuer == "" {
		return err
	}
	return s.Exec(ctx, s.DB, "INSERT INTO fence_guard (resource, issuer, token, owner) VALUES ($1, $2, $3, $4)", g.Resource, g.Issuer, int64(g.Token), g.Owner)
}
