package sqlfence

import (
	"context"
	"database/sql"
)

// Schema is the text of the tables, one statement each, for those who keep
// migrations of their own. The statements may be repeated. Keep every row of
// fence_issuer, fence_lease and fence_guard for ever: they are what tells old
// from new. Rows of fence_request are removed by [Guard.Prune]. Errors: an
// *driver.InvalidError for an unknown dialect.
func Schema(d Dialect) ([]string, error) {
	if err := d.wellFormed(); err != nil {
		return nil, err
	}
	return append([]string(nil), schemas[d]...), nil
}

// Migrate makes the tables of [Schema] that are missing. It may be repeated,
// and run by several processes at once. Errors: ErrReadOnly, ErrDialect,
// driver.ErrBusy, driver.ErrUnavailable, driver.ErrUncertain.
func Migrate(ctx context.Context, db *sql.DB, d Dialect) error {
	if _, err := newOptions(db, d, nil); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return wrap(ctx, nil, err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return unsent(ctx, err)
	}
	defer rollback(tx)
	for _, s := range append(before[d], schemas[d]...) {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return unsent(ctx, err)
		}
	}
	return sent(ctx, tx.Commit())
}

// before serialises concurrent migrations where CREATE TABLE IF NOT EXISTS
// does not.
var before = [...][]string{
	PostgreSQL: {`SELECT pg_advisory_xact_lock(5073441012379521)`},
	SQLite:     nil,
}

// fence_issuer holds one random name of this sequence of tokens: it goes with
// the data into a dump and back, so a restored sequence has the same name and
// lower numbers, and a new database has another name.
//
// fence_lease keeps the token of the present hold apart from the greatest one
// issued, which Raise lifts under a living hold.
var schemas = [...][]string{
	PostgreSQL: {
		`CREATE TABLE IF NOT EXISTS fence_issuer (
	one smallint PRIMARY KEY CHECK (one = 1),
	id text COLLATE "C" NOT NULL)`,
		`INSERT INTO fence_issuer (one, id) VALUES (1, 'pg-' || replace(gen_random_uuid()::text, '-', ''))
ON CONFLICT DO NOTHING`,
		`CREATE TABLE IF NOT EXISTS fence_lease (
	name text COLLATE "C" PRIMARY KEY,
	token bigint NOT NULL,
	issued bigint NOT NULL,
	owner text COLLATE "C",
	expires_at timestamptz NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS fence_guard (
	resource text COLLATE "C" PRIMARY KEY,
	issuer text COLLATE "C" NOT NULL,
	token bigint NOT NULL,
	owner text COLLATE "C" NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS fence_request (
	resource text COLLATE "C" NOT NULL,
	request text COLLATE "C" NOT NULL,
	token bigint NOT NULL,
	applied_at timestamptz NOT NULL,
	PRIMARY KEY (resource, request))`,
		`CREATE INDEX IF NOT EXISTS fence_request_applied_at ON fence_request (applied_at)`,
	},
	MySQL: {
		`CREATE TABLE IF NOT EXISTS fence_issuer (
	one TINYINT NOT NULL PRIMARY KEY,
	id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL) ENGINE=InnoDB`,
		`INSERT IGNORE INTO fence_issuer (one, id) VALUES (1, CONCAT('my-', REPLACE(UUID(), '-', '')))`,
		`CREATE TABLE IF NOT EXISTS fence_lease (
	name VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
	token BIGINT NOT NULL,
	issued BIGINT NOT NULL,
	owner VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin,
	expires_at DATETIME(6) NOT NULL,
	n BIGINT NOT NULL) ENGINE=InnoDB`,
		`CREATE TABLE IF NOT EXISTS fence_guard (
	resource VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
	issuer VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	token BIGINT NOT NULL,
	owner VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL) ENGINE=InnoDB`,
		`CREATE TABLE IF NOT EXISTS fence_request (
	resource VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	request VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	token BIGINT NOT NULL,
	applied_at DATETIME(6) NOT NULL,
	PRIMARY KEY (resource, request),
	KEY fence_request_applied_at (applied_at)) ENGINE=InnoDB`,
	},
	SQLite: {
		`CREATE TABLE IF NOT EXISTS fence_issuer (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	id TEXT NOT NULL)`,
		`INSERT INTO fence_issuer (one, id) VALUES (1, 'lite-' || lower(hex(randomblob(16)))) ON CONFLICT DO NOTHING`,
		`CREATE TABLE IF NOT EXISTS fence_lease (
	name TEXT PRIMARY KEY NOT NULL,
	token INTEGER NOT NULL,
	issued INTEGER NOT NULL,
	owner TEXT,
	expires_at INTEGER NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS fence_guard (
	resource TEXT PRIMARY KEY NOT NULL,
	issuer TEXT NOT NULL,
	token INTEGER NOT NULL,
	owner TEXT NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS fence_request (
	resource TEXT NOT NULL,
	request TEXT NOT NULL,
	token INTEGER NOT NULL,
	applied_at INTEGER NOT NULL,
	PRIMARY KEY (resource, request)) WITHOUT ROWID`,
		`CREATE INDEX IF NOT EXISTS fence_request_applied_at ON fence_request (applied_at)`,
	},
}

// rollback ends a transaction whose outcome the caller has decided: after a
// commit it does nothing, and otherwise the server rolls back even if this
// fails.
func rollback(tx *sql.Tx) { _ = tx.Rollback() }
