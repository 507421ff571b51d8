// Case P014: before every page of points the job asks Redis whether the key still holds its own
// value, then adds the points in SQL. Between the answer and the UPDATE the key may expire and
// a second job may add the same page.
// To flag: the sqlx write that hangs on Owns; the GET and the compare lie in package guard.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/fencelint/fencelint/testdata/cases/P014/guard"
	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
)

type Guard interface {
	Owns(ctx context.Context) (bool, error)
}

type page struct {
	Wallet int64 `db:"wallet"`
	Points int64 `db:"points"`
}

func credit(ctx context.Context, g Guard, db *sqlx.DB, pages []page) error {
	for _, p := range pages {
		own, err := g.Owns(ctx)
		if err != nil {
			return err
		}
		if !own {
			return errors.New("lock lost, the rest is left to the next run")
		}
		_, err = db.NamedExecContext(ctx, `UPDATE wallets SET points = points + :points WHERE id = :wallet`, p) // want `ttlcheck \(ownercheck\)`
		if err != nil {
			return err
		}
	}
	return nil
}

func main() {
	ctx := context.Background()
	g, err := guard.Take(ctx, redis.NewClient(&redis.Options{}), "points-run", time.Minute)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Leave(ctx)
	log.Println(credit(ctx, g, sqlx.NewDb(nil, "pgx"), []page{{1, 50}}))
}
