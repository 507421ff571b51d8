// Case P025: the random id of the acquisition goes into the row and is compared with "less than", as
// if a later holder always had the greater one. Random ids have no order: a stale holder wins
// half of the time, and a present one is refused half of the time.
// To flag: the Exec of the statement in queries.go.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
)

type Turbine struct {
	rdb *redis.Client
	db  *sqlx.DB
	id  int
}

func (t *Turbine) enter(ctx context.Context) (string, error) {
	token := uuid.NewString()
	ok, err := t.rdb.SetNX(ctx, mutexOf(t.id), token, 15*time.Second).Result()
	if err == nil && !ok {
		err = errors.New("another controller steers")
	}
	return token, err
}

func (t *Turbine) Steer(ctx context.Context, degrees float64) error {
	token, err := t.enter(ctx)
	if err != nil {
		return err
	}
	defer leaveScript.Run(context.WithoutCancel(ctx), t.rdb, []string{mutexOf(t.id)}, token)
	res, err := t.db.ExecContext(ctx, setPitch, t.id, degrees, token) // want `unfencedwrite \(unordered\)`
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("refused as stale"))
	}
	return nil
}

func main() {
	t := &Turbine{redis.NewClient(&redis.Options{}), sqlx.NewDb(nil, "pgx"), 4}
	log.Println(t.Steer(context.Background(), 11.5))
}
