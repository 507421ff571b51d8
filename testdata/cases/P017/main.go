// Case P017: the lease row is taken in Postgres and its end is remembered in the struct. Later the
// local clock is held against it. Clock skew or a pause after the test, and two workers move
// the same cursor.
// To flag: the pgx update of the cursor that hangs on the clock; its WHERE names the feed only.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

type Tail struct {
	pool  *pgxpool.Pool
	feed  string
	owner string
	until time.Time
}

func (t *Tail) Claim(ctx context.Context) error {
	t.owner = uuid.NewString()
	return t.pool.QueryRow(ctx, `
		INSERT INTO feed_leases (feed, owner, expires_at) VALUES ($1, $2, now() + interval '30 seconds')
		ON CONFLICT (feed) DO UPDATE SET owner = $2, expires_at = EXCLUDED.expires_at
		WHERE feed_leases.expires_at < now() RETURNING expires_at`, t.feed, t.owner).Scan(&t.until)
}

func (t *Tail) alive() bool { return time.Now().Before(t.until) }

func (t *Tail) Advance(ctx context.Context, cursor string) error {
	if !t.alive() {
		return errors.New("lease is over")
	}
	_, err := t.pool.Exec(ctx, `UPDATE feeds SET cursor = $2 WHERE name = $1`, t.feed, cursor) // want `ttlcheck \(clock\)`
	return err
}

func main() {
	pool, err := pgxpool.New(context.Background(), "postgres://localhost/feeds")
	if err != nil {
		log.Fatal(err)
	}
	t := &Tail{pool: pool, feed: "orders"}
	if err := t.Claim(context.Background()); err != nil {
		log.Fatal(err)
	}
	log.Println(t.Advance(context.Background(), "0000a1"))
}
