package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Guard is the record of the one ownership, per resource, whose writes a
// database takes. It implements [driver.Guard] and [driver.Adopter]. Beside
// the errors named there, ErrUnavailable may be one of this package's own:
// ErrSchema, ErrReadOnly, ErrDialect, ErrNoRow. A Guard is safe for concurrent
// use.
//
// In one database use one Guard for each table or set of tables, so that
// fence.Client registers with it once.
type Guard struct {
	db   *sql.DB
	opts options
	d    Dialect
	guardTexts
	requestTexts
}

var (
	_ driver.Guard   = (*Guard)(nil)
	_ driver.Adopter = (*Guard)(nil)
)

// NewGuard makes a guard whose records are in the table fence_guard, apart
// from the data. It sends nothing: the tables are those of [Migrate]. Errors:
// an *driver.InvalidError for a nil db, an unknown dialect or an option that
// does not fit.
func NewGuard(db *sql.DB, d Dialect, opts ...Option) (*Guard, error) {
	o, err := newOptions(db, d, opts)
	if err != nil {
		return nil, err
	}
	o.key = func(resource string) any { return resource }
	return &Guard{db: db, opts: o, d: d, requestTexts: newRequestTexts(d), guardTexts: newGuardTexts(d, place{
		table: "fence_guard", key: "resource", issuer: "issuer", token: "token", owner: "owner", upsert: true,
	})}, nil
}

// NewColumns makes a guard whose records are in the rows they guard: in the
// columns fence_issuer, fence_token and fence_owner of table, nullable and
// without default, of the types that the table fence_guard has. key is the
// table's primary key, see [WithKey]. It is the cheapest form where the work
// writes one row. The row must exist before it is registered, else ErrNoRow.
//
// table and key are used as they are, so they must be trusted text. Errors: an
// *driver.InvalidError as NewGuard, and for an empty table or key.
func NewColumns(db *sql.DB, d Dialect, table, key string, opts ...Option) (*Guard, error) {
	o, err := newOptions(db, d, opts)
	if err != nil {
		return nil, err
	}
	if table == "" {
		return nil, &driver.InvalidError{What: "table", Reason: "is empty"}
	}
	if key == "" {
		return nil, &driver.InvalidError{What: "key", Reason: "is empty"}
	}
	return &Guard{db: db, opts: o, d: d, requestTexts: newRequestTexts(d), guardTexts: newGuardTexts(d, place{
		table: table, key: key, issuer: "fence_issuer", token: "fence_token", owner: "fence_owner",
	})}, nil
}

// A querier is *sql.DB or *sql.Tx.
type querier interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// Register implements [driver.Guard].
func (g *Guard) Register(ctx context.Context, grant driver.Grant) error {
	if err := registrable(ctx, grant); err != nil {
		return err
	}
	return g.put(ctx, g.db, grant, sent)
}

// registrable refuses what no record may hold.
func registrable(ctx context.Context, grant driver.Grant) error {
	if err := grant.WellFormed(); err != nil {
		return err
	}
	if grant.Issuer == driver.StoreIssuer {
		return fmt.Errorf("%w: a claimed grant is not registered", driver.ErrIssuer)
	}
	if err := ctx.Err(); err != nil {
		return wrap(ctx, nil, err)
	}
	return nil
}

// put registers with or without a transaction; name is sent or unsent.
func (g *Guard) put(ctx context.Context, q querier, grant driver.Grant, name func(context.Context, error) error) error {
	for _, s := range g.register {
		res, err := q.ExecContext(ctx, s.text, g.grantArgs(s, grant)...)
		if err != nil {
			return name(ctx, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return name(ctx, err)
		}
		if n > 0 {
			return nil
		}
	}
	return g.refused(ctx, q, grant, true)
}

// refused words a refusal. MySQL does not count a row that stays as it is, so
// with same a record that equals the grant means that it was there already.
func (g *Guard) refused(ctx context.Context, q querier, grant driver.Grant, same bool) error {
	seen, err := g.seen(ctx, q, grant.Resource)
	if err != nil {
		return err
	}
	if same && g.d == MySQL && seen == grant {
		return nil
	}
	return driver.Refused(grant, seen)
}

// Claim implements [driver.Guard].
func (g *Guard) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	grant := driver.Grant{Resource: resource, Issuer: driver.StoreIssuer, Owner: owner, Token: 1}
	if err := grant.WellFormed(); err != nil {
		return driver.Grant{}, err
	}
	if err := ctx.Err(); err != nil {
		return driver.Grant{}, wrap(ctx, nil, err)
	}
	for _, s := range g.claim {
		token, err := g.issue(ctx, s, resource, owner)
		if err != nil {
			return driver.Grant{}, sent(ctx, err)
		}
		if token > 0 {
			grant.Token = token
			return grant, nil
		}
	}
	seen, err := g.seen(ctx, g.db, resource)
	if err != nil {
		return driver.Grant{}, err
	}
	if seen.Issuer == driver.StoreIssuer && seen.Token >= driver.MaxToken {
		return driver.Grant{}, &driver.InvalidError{What: "token", Reason: "would pass 2^62"}
	}
	return driver.Grant{}, fmt.Errorf("%w: guard has %v", driver.ErrIssuer, seen)
}

// issue runs one statement of a claim and gives the token, zero if it was
// refused.
func (g *Guard) issue(ctx context.Context, s statement, resource, owner string) (driver.Token, error) {
	args := s.args(g.opts.now, g.opts.key(resource), owner)
	if g.d == MySQL {
		res, err := g.db.ExecContext(ctx, s.text, args...)
		if err != nil {
			return 0, err
		}
		token, err := res.LastInsertId()
		return driver.Token(token), err
	}
	var token driver.Token
	err := g.db.QueryRowContext(ctx, s.text, args...).Scan(&token)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return token, err
}

// Seen implements [driver.Guard].
func (g *Guard) Seen(ctx context.Context, resource string) (driver.Grant, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return driver.Grant{}, err
	}
	if err := ctx.Err(); err != nil {
		return driver.Grant{}, wrap(ctx, nil, err)
	}
	seen, err := g.seen(ctx, g.db, resource)
	if errors.Is(err, ErrNoRow) {
		err = nil
	}
	return seen, err
}

func (g *Guard) seen(ctx context.Context, q querier, resource string) (driver.Grant, error) {
	var issuer, owner sql.NullString
	var token sql.NullInt64
	err := q.QueryRowContext(ctx, g.read.text, g.read.args(g.opts.now, g.opts.key(resource))...).Scan(&issuer, &token, &owner)
	switch {
	case errors.Is(err, sql.ErrNoRows) && g.upsert:
		return driver.Grant{}, nil
	case errors.Is(err, sql.ErrNoRows):
		return driver.Grant{}, ErrNoRow
	case err != nil:
		return driver.Grant{}, unsent(ctx, err)
	case !issuer.Valid, token.Int64 == 0:
		return driver.Grant{}, nil
	}
	return driver.Grant{Resource: resource, Issuer: issuer.String, Owner: owner.String, Token: driver.Token(token.Int64)}, nil
}

// Adopt implements [driver.Adopter].
func (g *Guard) Adopt(ctx context.Context, seen, next driver.Grant) error {
	if err := driver.WellFormedAdoption(seen, next); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return wrap(ctx, nil, err)
	}
	args := []any{g.opts.key(seen.Resource), next.Issuer, int64(next.Token), next.Owner, seen.Issuer, int64(seen.Token), seen.Owner}
	res, err := g.db.ExecContext(ctx, g.adopt.text, g.adopt.args(g.opts.now, args...)...)
	if err != nil {
		return sent(ctx, err)
	}
	n, err := res.RowsAffected()
	if err != nil || n > 0 {
		return sent(ctx, err)
	}
	record, err := g.Seen(ctx, seen.Resource)
	switch {
	case err != nil:
		return err
	case record == next:
		return nil
	}
	return &driver.StaleError{Have: next, Seen: record}
}

// grantArgs are the arguments $1 to $4 of a statement about a grant.
func (g *Guard) grantArgs(s statement, grant driver.Grant) []any {
	return s.args(g.opts.now, g.opts.key(grant.Resource), grant.Issuer, int64(grant.Token), grant.Owner)
}
