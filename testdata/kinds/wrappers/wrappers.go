// Package wrappers reaches its stores through the code of other packages.
package wrappers

import (
	"context"
	"net/http"
	"time"

	"github.com/fencelint/fencelint/testdata/kinds/keys"
	"github.com/fencelint/fencelint/testdata/kinds/locks"
	"github.com/go-redsync/redsync/v4"
	_ "github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A data key that is deleted beside a lock, both made by one helper.
func data(ctx context.Context, s *locks.Store, id string) error {
	ok, err := s.Lock(ctx, keys.Key("jobs", "lock", id), time.Minute)
	if err != nil || !ok {
		return err
	}
	defer s.Unlock(ctx, keys.Key("jobs", "lock", id))
	return s.Delete(ctx, keys.Key("jobs", "queue", id))
}

// The loser of the lock frees it too.
func loser(ctx context.Context, s *locks.Store, id string) error {
	ok, err := s.Lock(ctx, keys.Key("beats", "lock", id), time.Minute)
	if err != nil {
		return err
	}
	defer func() { _ = s.Unlock(ctx, keys.Key("beats", "lock", id)) }() // want `keyonlyrelease \(notacquired\)`
	if !ok {
		return nil
	}
	return s.Set(ctx, keys.Key("beats", id), "taken") // want `unfencedwrite \(unfenced\)`
}

func send(ctx context.Context, method, url string) error {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req) // want `unfencedwrite \(external\)`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// The method of a request stands at the caller of the caller.
func methods(ctx context.Context, rs *redsync.Redsync) error {
	mu := rs.NewMutex("methods-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	if err := send(ctx, http.MethodGet, "http://localhost/state"); err != nil {
		return err
	}
	return send(ctx, http.MethodPost, "http://localhost/charge")
}

// DBTX restates methods of a client, as generated queries do.
type DBTX interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
}

type queries struct{ db DBTX }

func (q *queries) rename(ctx context.Context, id int64, name string) error {
	_, err := q.db.Exec(ctx, "UPDATE teams SET name = $2 WHERE id = $1", id, name) // want `unfencedwrite \(unfenced\)`
	return err
}

func (q *queries) renameAt(ctx context.Context, id, version int64, name string) error {
	_, err := q.db.Exec(ctx, "UPDATE teams SET name = $2, version = version + 1 WHERE id = $1 AND version = $3", id, name, version)
	return err
}

func restated(ctx context.Context, rs *redsync.Redsync, q *queries) error {
	mu := rs.NewMutex("teams-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	if err := q.renameAt(ctx, 1, 7, "a"); err != nil {
		return err
	}
	return q.rename(ctx, 2, "b")
}
