package sqlfence

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/fencelint/fencelint/fence/driver"
)

// Errors of this package, beside those of package driver. All of them mean
// that the call had certainly no effect, and all are driver.ErrUnavailable.
var (
	// ErrSchema: a table or column is missing. Run Migrate, or add the columns
	// that NewColumns names.
	ErrSchema = fmt.Errorf("%w: table or column is missing", driver.ErrUnavailable)

	// ErrReadOnly: the server is a replica or read-only. Guards and leases need
	// the primary.
	ErrReadOnly = fmt.Errorf("%w: server is read-only", driver.ErrUnavailable)

	// ErrDialect: the server does not understand the statement: most likely it
	// is not of the Dialect given.
	ErrDialect = fmt.Errorf("%w: server does not speak this dialect", driver.ErrUnavailable)

	// ErrNoRow: a guard of NewColumns found no row for the resource.
	ErrNoRow = fmt.Errorf("%w: no row for the resource", driver.ErrUnavailable)
)

// errLost marks a code with which a server ends the conversation: what it was
// doing then is unknown.
var errLost = errors.New("connection ended by the server")

// unsent names the error of a call that, if it fails, has changed nothing: a
// read, or a statement in a transaction that is not committed.
func unsent(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	name, known := nameOf(err)
	if name == errLost || !known {
		name = driver.ErrUnavailable
	}
	return wrap(ctx, name, err)
}

// sent names the error of a call that may have changed something if it was
// sent and no answer came: a statement on its own, or a commit.
func sent(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	name, known := nameOf(err)
	if name == errLost || !known {
		name = driver.ErrUncertain
	}
	return wrap(ctx, name, err)
}

// wrap joins the name, the cause and, where the driver does not tell, that the
// context ended.
func wrap(ctx context.Context, name, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	if name == nil {
		return fmt.Errorf("sqlfence: %w", err)
	}
	return fmt.Errorf("%w: %w", name, err)
}

// nameOf gives the named error for a driver's error, nil if it has no name,
// and whether it is certain that nothing was done. It reads the codes through
// the methods and texts that drivers share, for no driver is imported.
func nameOf(err error) (name error, known bool) {
	var state interface{ SQLState() string } // pgx, lib/pq
	if errors.As(err, &state) {
		return postgresName(state.SQLState()), true
	}
	if n, ok := mysqlCode(err); ok {
		return mysqlName(n), true
	}
	var code interface{ Code() int } // modernc.org/sqlite
	if errors.As(err, &code) {
		return sqliteName(code.Code(), err.Error()), true
	}
	var dial *net.OpError
	switch {
	case errors.As(err, &dial) && dial.Op == "dial", errors.Is(err, sqldriver.ErrBadConn):
		// ErrBadConn is a driver's word that the server has done nothing.
		return driver.ErrUnavailable, true
	case strings.Contains(err.Error(), "failed to connect to "): // pgx, also when the server hangs up on a new connection
		return driver.ErrUnavailable, true
	case errors.Is(err, sql.ErrTxDone), errors.Is(err, sql.ErrConnDone), err.Error() == "sql: database is closed":
		return driver.ErrUnavailable, true
	}
	if name := sqliteText(err.Error()); name != nil { // mattn/go-sqlite3
		return name, true
	}
	return nil, false
}

func postgresName(state string) error {
	switch state {
	case "55P03", "40001", "40P01": // lock timeout, serialization, deadlock
		return driver.ErrBusy
	case "42P01", "42703", "3F000": // no table, column, schema
		return ErrSchema
	case "25006":
		return ErrReadOnly
	case "42601", "42883": // syntax, no such function
		return ErrDialect
	case "57P03", "53300", "3D000", "28000", "28P01": // starting, full, no database, not allowed
		return driver.ErrUnavailable
	}
	if strings.HasPrefix(state, "57P") || strings.HasPrefix(state, "08") {
		return errLost
	}
	return nil
}

// mysqlCode reads the number of go-sql-driver's error from its text,
// "Error 1205 (HY000): …".
func mysqlCode(err error) (int, bool) {
	_, rest, ok := strings.Cut(err.Error(), "Error ")
	if !ok {
		return 0, false
	}
	digits := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if digits != 4 || !strings.HasPrefix(rest[4:], " (") && !strings.HasPrefix(rest[4:], ":") {
		return 0, false
	}
	n, err := strconv.Atoi(rest[:4])
	return n, err == nil
}

func mysqlName(code int) error {
	switch code {
	case 1205, 1213, 3572: // lock wait timeout, deadlock, nowait
		return driver.ErrBusy
	case 1146, 1054: // no table, column
		return ErrSchema
	case 1290, 1792, 1836: // read-only option, transaction, mode
		return ErrReadOnly
	case 1064, 1305: // syntax, no such function
		return ErrDialect
	case 1040, 1045, 1049, 1203: // full, not allowed, no database
		return driver.ErrUnavailable
	case 1053, 1927, 4031: // shutdown, killed, idle for too long
		return errLost
	}
	return nil
}

func sqliteName(code int, text string) error {
	switch code & 0xff {
	case 5, 6: // SQLITE_BUSY, SQLITE_LOCKED
		return driver.ErrBusy
	case 8: // SQLITE_READONLY
		return ErrReadOnly
	case 14, 26: // SQLITE_CANTOPEN, SQLITE_NOTADB
		return driver.ErrUnavailable
	case 10: // SQLITE_IOERR
		return errLost
	case 1: // SQLITE_ERROR
		return sqliteText(text)
	}
	return nil
}

func sqliteText(text string) error {
	has := func(s string) bool { return strings.Contains(text, s) }
	switch {
	case has("no such table"), has("no such column"):
		return ErrSchema
	case has("syntax error"), has("no such function"), has("unrecognized token"):
		return ErrDialect
	case has("database is locked"), has("database table is locked"):
		return driver.ErrBusy
	case has("attempt to write a readonly database"):
		return ErrReadOnly
	}
	return nil
}
