package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fencelint/fencelint/fence/driver"
)

// Tx runs fn in a transaction that the guard admits. It checks grant first,
// then calls fn, then commits; no newer ownership is registered in between.
// Read in fn what the write depends on. fn must not commit or roll back, and
// must not use the database otherwise than through tx.
//
// OncePerRequest and LazyWrite are supported. OncePerRequest records the
// request in the table fence_request in the same transaction.
//
// Errors: what fn returned, after a rollback, joined with driver.ErrBusy if
// the server asks to try again; *driver.StaleError or driver.ErrIssuer if the
// guard refuses, *driver.DuplicateError if the request was applied before,
// and then fn was not called; driver.ErrBusy if another transaction holds the
// record; driver.ErrUnavailable; driver.ErrInvalid. driver.ErrUncertain only
// if the commit was sent and its answer was lost: with OncePerRequest, call Tx
// again with the same request, and an ErrDuplicate means that it was applied.
func (g *Guard) Tx(ctx context.Context, grant driver.Grant, fn func(*sql.Tx) error, opts ...driver.WriteOption) error {
	if fn == nil {
		return &driver.InvalidError{What: "fn", Reason: "is nil"}
	}
	w, err := admissible(ctx, grant, opts)
	if err != nil {
		return err
	}
	tx, err := g.db.BeginTx(ctx, nil)
	if err != nil {
		return unsent(ctx, err)
	}
	defer rollback(tx)
	if err := g.admit(ctx, tx, grant, w); err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		if name, _ := nameOf(err); name == driver.ErrBusy && !errors.Is(err, driver.ErrBusy) {
			return fmt.Errorf("%w: %w", name, err)
		}
		return err
	}
	// A context that ends before the commit is sent rolls back for certain.
	if err := ctx.Err(); err != nil {
		return wrap(ctx, nil, err)
	}
	return sent(ctx, tx.Commit())
}

// Check admits a transaction of your own: call it before the first read and
// the first write of the transaction, on the guard's own database. It locks
// the guard's record until the transaction ends. If it fails, roll back.
// A commit whose answer is lost is yours to treat as uncertain.
//
// Options and errors are those of [Guard.Tx], except that nothing is
// uncertain.
func (g *Guard) Check(ctx context.Context, tx *sql.Tx, grant driver.Grant, opts ...driver.WriteOption) error {
	if tx == nil {
		return &driver.InvalidError{What: "tx", Reason: "is nil"}
	}
	w, err := admissible(ctx, grant, opts)
	if err != nil {
		return err
	}
	return g.admit(ctx, tx, grant, w)
}

// admissible refuses what needs no server to refuse.
func admissible(ctx context.Context, grant driver.Grant, opts []driver.WriteOption) (driver.Write, error) {
	w, err := driver.NewWrite(opts...)
	if err != nil {
		return w, err
	}
	if err := grant.WellFormed(); err != nil {
		return w, err
	}
	if w.Lazy {
		return w, registrable(ctx, grant)
	}
	if err := ctx.Err(); err != nil {
		return w, wrap(ctx, nil, err)
	}
	return w, nil
}

func (g *Guard) admit(ctx context.Context, tx *sql.Tx, grant driver.Grant, w driver.Write) error {
	if w.Lazy {
		if err := g.put(ctx, tx, grant, unsent); err != nil {
			return err
		}
	} else {
		var one int
		err := tx.QueryRowContext(ctx, g.check.text, g.grantArgs(g.check, grant)...).Scan(&one)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return g.refused(ctx, tx, grant, false)
		case err != nil:
			return unsent(ctx, err)
		}
	}
	if w.Request != "" {
		return g.once(ctx, tx, grant, w.Request)
	}
	return nil
}

// Exec runs one UPDATE, INSERT or DELETE that holds [Marker], see
// [Guard.Statement]. Where a row was changed it takes one round trip. Where
// none was, a second one asks why: a result with zero rows means that the
// guard still showed grant and the other conditions matched nothing.
//
// Errors: those of [Guard.Tx]. driver.ErrUncertain if the answer was lost;
// requests are not recorded in this form, so make the statement repeatable by
// conditions of its own, or use Tx with OncePerRequest.
func (g *Guard) Exec(ctx context.Context, grant driver.Grant, query string, args ...any) (sql.Result, error) {
	text, all, err := g.Statement(grant, query, args...)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, wrap(ctx, nil, err)
	}
	res, err := g.db.ExecContext(ctx, text, all...)
	if err != nil {
		return nil, sent(ctx, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return nil, sent(ctx, err)
	}
	if n > 0 {
		return res, nil
	}
	seen, err := g.seen(ctx, g.db, grant.Resource)
	switch {
	case errors.Is(err, ErrNoRow):
		return nil, driver.Refused(grant, driver.Grant{})
	case err != nil:
		return nil, err
	case seen != grant:
		return nil, driver.Refused(grant, seen)
	}
	return res, nil
}
