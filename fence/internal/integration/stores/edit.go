package stores

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync/atomic"
)

// An Edit changes the text of statements on their way to the server, to break
// shipped SQL on purpose.
type Edit struct {
	Change func(text string) string
	hits   atomic.Int64
}

// Hits counts the statements that were changed: an edit that no longer fits
// the shipped text would prove nothing.
func (e *Edit) Hits() int64 { return e.hits.Load() }

func (e *Edit) apply(text string) string {
	changed := e.Change(text)
	if changed != text {
		e.hits.Add(1)
	}
	return changed
}

// OpenEdited opens a store whose statements are all edited.
func OpenEdited(p Place, e *Edit) (*Store, error) {
	plain, err := sql.Open(p.Driver, p.DSN)
	if err != nil {
		return nil, err
	}
	d := plain.Driver()
	if err := plain.Close(); err != nil {
		return nil, err
	}
	return Over(sql.OpenDB(&connector{driver: d, dsn: p.DSN, edit: e}), p)
}

type connector struct {
	driver driver.Driver
	dsn    string
	edit   *Edit
}

func (c *connector) Driver() driver.Driver { return c.driver }

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	var inner driver.Conn
	var err error
	if dc, ok := c.driver.(driver.DriverContext); ok {
		var real driver.Connector
		if real, err = dc.OpenConnector(c.dsn); err == nil {
			inner, err = real.Connect(ctx)
		}
	} else {
		inner, err = c.driver.Open(c.dsn)
	}
	if err != nil {
		return nil, err
	}
	return &conn{full: inner.(full), edit: c.edit}, nil
}

// full is what all three drivers offer.
type full interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
}

// conn edits and passes on.
type conn struct {
	full
	edit *Edit
}

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.full.PrepareContext(ctx, c.edit.apply(query))
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.full.ExecContext(ctx, c.edit.apply(query), args)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.full.QueryContext(ctx, c.edit.apply(query), args)
}

// CheckNamedValue keeps the driver's own conversion, if it has one.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.full.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	var err error
	v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	return err
}
