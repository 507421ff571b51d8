package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Locker is a lease in the table fence_lease. Its tokens have the order of
// the lock, so its holds can be registered. Rows are never deleted, so the
// sequence of tokens survives expiry and release.
//
// It implements [driver.Locker] and [driver.Issuer]. Beside the errors named
// there, ErrUnavailable may be one of this package's own: ErrSchema,
// ErrReadOnly, ErrDialect. A Locker is safe for concurrent use.
type Locker struct {
	db   *sql.DB
	opts options
	leaseTexts
	d      Dialect
	issuer atomic.Pointer[string] // MySQL only: the other dialects return it with the token
}

var (
	_ driver.Locker = (*Locker)(nil)
	_ driver.Issuer = (*Locker)(nil)
)

// NewLocker makes a Locker. It sends nothing: the tables are those of
// [Migrate]. Errors: an *driver.InvalidError for a nil db, an unknown dialect
// or an option that does not fit.
func NewLocker(db *sql.DB, d Dialect, opts ...Option) (*Locker, error) {
	o, err := newOptions(db, d, opts)
	if err != nil {
		return nil, err
	}
	return &Locker{db: db, opts: o, d: d, leaseTexts: newLeaseTexts(d)}, nil
}

// Acquire implements [driver.Locker]. The TTL is rounded down to microseconds.
func (l *Locker) Acquire(ctx context.Context, r driver.Request) (driver.Hold, error) {
	if err := r.WellFormed(); err != nil {
		return driver.Hold{}, err
	}
	if err := ctx.Err(); err != nil {
		return driver.Hold{}, wrap(ctx, nil, err)
	}
	take := l.takeReturning
	if l.d == MySQL {
		take = l.takeCounting
	}
	token, issuer, err := take(ctx, r)
	if err != nil {
		return driver.Hold{}, err
	}
	if err := token.WellFormed(); err != nil { // the sequence is used up
		return driver.Hold{}, err
	}
	return driver.Hold{Name: r.Name, Owner: r.Owner, Issuer: issuer, Token: token}, nil
}

// takeReturning acquires where one statement can also return a row.
func (l *Locker) takeReturning(ctx context.Context, r driver.Request) (driver.Token, string, error) {
	var token driver.Token
	var issuer sql.NullString
	err := l.db.QueryRowContext(ctx, l.acquire.text, l.acquire.args(l.opts.now, r.Name, r.Owner, r.TTL.Microseconds())...).Scan(&token, &issuer)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, "", driver.ErrNotAcquired
	case err != nil:
		return 0, "", sent(ctx, err)
	case !issuer.Valid:
		return 0, "", fmt.Errorf("%w: fence_issuer has no row", ErrSchema)
	}
	return token, issuer.String, nil
}

// takeCounting acquires on MySQL, whose UPDATE returns a number at most: the
// token, through LAST_INSERT_ID. The row is missing only once in the life of
// a name, so it is looked for last.
func (l *Locker) takeCounting(ctx context.Context, r driver.Request) (driver.Token, string, error) {
	issuer, err := l.issuerName(ctx)
	if err != nil {
		return 0, "", err
	}
	args := []any{r.Name, r.Owner, r.TTL.Microseconds()}
	res, err := l.db.ExecContext(ctx, l.acquire.text, l.acquire.args(l.opts.now, args...)...)
	if err != nil {
		return 0, "", sent(ctx, err)
	}
	if token, err := res.LastInsertId(); err != nil || token != 0 {
		return driver.Token(token), issuer, sent(ctx, err)
	}
	res, err = l.db.ExecContext(ctx, l.first.text, l.first.args(l.opts.now, args...)...)
	if err != nil {
		return 0, "", sent(ctx, err)
	}
	n, err := res.RowsAffected()
	switch {
	case err != nil:
		return 0, "", sent(ctx, err)
	case n == 0:
		return 0, "", driver.ErrNotAcquired
	}
	return 1, issuer, nil
}

// issuerName asks once: the name never changes in one database, and goes with
// the data into a backup and back.
func (l *Locker) issuerName(ctx context.Context) (string, error) {
	if p := l.issuer.Load(); p != nil {
		return *p, nil
	}
	var name string
	err := l.db.QueryRowContext(ctx, `SELECT id FROM fence_issuer`).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("%w: fence_issuer has no row", ErrSchema)
	}
	if err != nil {
		return "", unsent(ctx, err)
	}
	l.issuer.Store(&name)
	return name, nil
}

// Extend implements [driver.Locker].
func (l *Locker) Extend(ctx context.Context, h driver.Hold, ttl time.Duration) error {
	if err := driver.WellFormedTTL(ttl); err != nil {
		return err
	}
	return l.change(ctx, l.extend, h, ttl.Microseconds())
}

// Release implements [driver.Locker].
func (l *Locker) Release(ctx context.Context, h driver.Hold) error {
	return l.change(ctx, l.release, h)
}

// change runs a statement that changes the row of the present hold only.
func (l *Locker) change(ctx context.Context, s statement, h driver.Hold, more ...any) error {
	if err := h.Grant().WellFormed(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return wrap(ctx, nil, err)
	}
	args := append([]any{h.Name, int64(h.Token), h.Owner}, more...)
	res, err := l.db.ExecContext(ctx, s.text, s.args(l.opts.now, args...)...)
	if err != nil {
		return sent(ctx, err)
	}
	n, err := res.RowsAffected()
	switch {
	case err != nil:
		return sent(ctx, err)
	case n == 0:
		return driver.ErrNotOwner
	}
	return nil
}

// Issued implements [driver.Issuer].
func (l *Locker) Issued(ctx context.Context, name string) (driver.Token, error) {
	if err := driver.WellFormedName("name", name); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, wrap(ctx, nil, err)
	}
	var token driver.Token
	err := l.db.QueryRowContext(ctx, l.issued.text, l.issued.args(l.opts.now, name)...).Scan(&token)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return token, unsent(ctx, err)
}

// Raise implements [driver.Issuer].
func (l *Locker) Raise(ctx context.Context, name string, to driver.Token) error {
	if err := driver.WellFormedName("name", name); err != nil {
		return err
	}
	if err := to.WellFormed(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return wrap(ctx, nil, err)
	}
	_, err := l.db.ExecContext(ctx, l.raise.text, l.raise.args(l.opts.now, name, int64(to))...)
	return sent(ctx, err)
}
