// Case R087: the claim of a scheduled run has a fixed lease and the database is fenced, but
// the message goes to an outside service that knows no lease: when a slow run is taken over
// both send it.
// To flag: the POST without an idempotency key between claim and finish.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"net/http"
	"time"
)

type run struct {
	db    *sql.DB
	id    string
	fence int64
}

func claim(ctx context.Context, db *sql.DB, id string) (*run, error) {
	r := &run{db: db, id: id}
	return r, db.QueryRowContext(ctx, `UPDATE runs SET fence = fence + 1, until = $2 WHERE id = $1 AND until < now() RETURNING fence`,
		id, time.Now().Add(30*time.Minute)).Scan(&r.fence)
}

func (r *run) deliver(ctx context.Context, text []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://hooks.example/T1/B1", bytes.NewReader(text))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req) // want `unfencedwrite \((external|partial)\)`
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = r.db.ExecContext(ctx, `UPDATE runs SET done = true WHERE id = $1 AND fence = $2`, r.id, r.fence)
	return err
}

func main() {
	if r, err := claim(context.Background(), nil, "daily"); err == nil {
		_ = r.deliver(context.Background(), []byte("report"))
	}
}
