package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// requestTexts are the statements on fence_request. Arguments: $1 resource,
// $2 request, $3 token; for prune $1 the retention in microseconds. The token
// is a column and no part of the key, so that the next holder meets the
// request of the one before.
type requestTexts struct{ record, find, prune statement }

func newRequestTexts(d Dialect) requestTexts {
	const find = `SELECT token FROM fence_request WHERE resource = $1 AND request = $2`
	t := [...][2]string{
		PostgreSQL: {
			`INSERT INTO fence_request (resource, request, token, applied_at) VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT DO NOTHING`,
			`DELETE FROM fence_request WHERE applied_at < clock_timestamp() - $1::bigint * interval '1 microsecond'`,
		},
		MySQL: {
			`INSERT IGNORE INTO fence_request (resource, request, token, applied_at) VALUES ($1, $2, $3, UTC_TIMESTAMP(6))`,
			`DELETE FROM fence_request WHERE applied_at < UTC_TIMESTAMP(6) - INTERVAL $1 MICROSECOND`,
		},
		SQLite: {
			`INSERT INTO fence_request (resource, request, token, applied_at) VALUES ($1, $2, $3, $now) ON CONFLICT DO NOTHING`,
			`DELETE FROM fence_request WHERE applied_at < $now - $1`,
		},
	}[d]
	return requestTexts{record: d.bind(t[0]), find: d.bind(find), prune: d.bind(t[1])}
}

// once records the request in the transaction that makes the change.
func (g *Guard) once(ctx context.Context, tx *sql.Tx, grant driver.Grant, request string) error {
	res, err := tx.ExecContext(ctx, g.record.text, g.record.args(g.opts.now, grant.Resource, request, int64(grant.Token))...)
	if err != nil {
		return unsent(ctx, err)
	}
	n, err := res.RowsAffected()
	if err != nil || n > 0 {
		return unsent(ctx, err)
	}
	token, err := g.applied(ctx, tx, grant.Resource, request)
	if err != nil {
		return err
	}
	return &driver.DuplicateError{Resource: grant.Resource, Request: request, Token: token}
}

// Applied gives the token under which a request was applied, zero if it was
// not. After a lost answer, ask only when the writer in doubt can write no
// more: after a registration of your own, which waits for its transaction or
// refuses it. Before that a zero is no answer. Errors: driver.ErrUnavailable,
// driver.ErrInvalid.
func (g *Guard) Applied(ctx context.Context, resource, request string) (driver.Token, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return 0, err
	}
	if err := driver.WellFormedName("request", request); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, wrap(ctx, nil, err)
	}
	return g.applied(ctx, g.db, resource, request)
}

func (g *Guard) applied(ctx context.Context, q querier, resource, request string) (driver.Token, error) {
	var token driver.Token
	err := q.QueryRowContext(ctx, g.find.text, g.find.args(g.opts.now, resource, request)...).Scan(&token)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return token, unsent(ctx, err)
}

// Prune forgets the requests that were applied longer than retention ago, by
// the server's clock, and counts them. Choose retention longer than a request
// can stay on its way, retries by queues and people included: a request that
// comes again after it was forgotten is applied again. Errors:
// driver.ErrUnavailable, driver.ErrUncertain, and driver.ErrInvalid for a
// retention that is not positive.
func (g *Guard) Prune(ctx context.Context, retention time.Duration) (int64, error) {
	if retention <= 0 {
		return 0, &driver.InvalidError{What: "retention", Reason: "is not positive"}
	}
	if err := ctx.Err(); err != nil {
		return 0, wrap(ctx, nil, err)
	}
	res, err := g.db.ExecContext(ctx, g.prune.text, g.prune.args(g.opts.now, retention.Microseconds())...)
	if err != nil {
		return 0, sent(ctx, err)
	}
	n, err := res.RowsAffected()
	return n, sent(ctx, err)
}
