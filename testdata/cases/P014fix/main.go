// Case P014, look-alike: again a write behind Owns, but it deletes what is older than a limit that
// the statement computes itself. Two workers may do it at once or too late, the outcome is the
// same. Nothing to flag.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/fencelint/fencelint/testdata/cases/P014fix/guard"
	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
)

type Guard interface {
	Owns(ctx context.Context) (bool, error)
}

var purges = map[string]string{
	"sessions": `DELETE FROM sessions WHERE expires_at < now() - interval '1 day'`,
	"invites":  `DELETE FROM invites WHERE created_at < now() - interval '30 days'`,
}

func purge(ctx context.Context, g Guard, db *sqlx.DB, tables []string) error {
	for _, t := range tables {
		own, err := g.Owns(ctx)
		if err != nil {
			return err
		}
		if !own {
			return errors.New("lock lost, the rest is left to the next run")
		}
		_, err = db.ExecContext(ctx, purges[t])
		if err != nil {
			return err
		}
	}
	return nil
}

func main() {
	ctx := context.Background()
	g, err := guard.Take(ctx, redis.NewClient(&redis.Options{}), "purge-run", time.Minute)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Leave(ctx)
	log.Println(purge(ctx, g, sqlx.NewDb(nil, "pgx"), []string{"sessions", "invites"}))
}
