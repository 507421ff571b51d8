// Case P023: a decorator puts a Redis lock around the ledger, the ledger itself knows nothing of it
// and writes a balance computed from an earlier read. A holder that outlives the 5 seconds
// overwrites the booking of the next one.
// To flag: the pgx Exec in pgLedger, reached through the interface, the decorator and a callback.
package main

import (
	"context"
	"errors"
	"log"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
)

type Ledger interface {
	Debit(ctx context.Context, account, cents int64) error
}

type pgLedger struct{ pool *pgxpool.Pool }

func (p *pgLedger) Debit(ctx context.Context, account, cents int64) error {
	var have int64
	if err := p.pool.QueryRow(ctx, `SELECT balance FROM accounts WHERE id = $1`, account).Scan(&have); err != nil {
		return err
	}
	if have < cents {
		return errors.New("not covered")
	}
	_, err := p.pool.Exec(ctx, `UPDATE accounts SET balance = $2 WHERE id = $1`, account, have-cents) // want `unfencedwrite \(rmw\)`
	return err
}

type exclusiveLedger struct {
	Ledger
	rdb *redis.Client
}

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (e *exclusiveLedger) Debit(ctx context.Context, account, cents int64) error {
	return e.withLock(ctx, "lock:account:"+strconv.FormatInt(account, 10), func(ctx context.Context) error {
		return e.Ledger.Debit(ctx, account, cents)
	})
}

func (e *exclusiveLedger) withLock(ctx context.Context, key string, fn func(context.Context) error) error {
	id := uuid.NewString()
	ok, err := e.rdb.SetNX(ctx, key, id, 5*time.Second).Result()
	if err != nil || !ok {
		return errors.Join(err, errors.New("account is busy"))
	}
	defer drop.Run(context.WithoutCancel(ctx), e.rdb, []string{key}, id)
	return fn(ctx)
}

func main() {
	pool, err := pgxpool.New(context.Background(), "postgres://localhost/bank")
	if err != nil {
		log.Fatal(err)
	}
	var l Ledger = &exclusiveLedger{&pgLedger{pool}, redis.NewClient(&redis.Options{})}
	log.Println(l.Debit(context.Background(), 17, 250))
}
