// Case P019: the lock is refreshed before each invoice, and a refresh that went well is taken as a
// licence to write. The new TTL may be over before the transaction of the write commits.
// To flag: the gorm Updates behind the Refresh; it is keyed on the invoice alone.
package main

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"
)

type Invoice struct {
	ID    int64
	Total int64
	State string
}

type Biller struct {
	db   *gorm.DB
	lock *redislock.Lock
}

func (b *Biller) step(ctx context.Context, inv *Invoice) error {
	if err := b.lock.Refresh(ctx, 30*time.Second, nil); err != nil {
		return err
	}
	return b.db.WithContext(ctx).Model(&Invoice{}).Where("id = ?", inv.ID).
		Updates(map[string]any{"total": inv.Total, "state": "closed"}).Error // want `ttlcheck \(extendcheck\)`
}

func closeMonth(ctx context.Context, rdb *redis.Client, db *gorm.DB, open []Invoice) error {
	lock, err := redislock.New(rdb).Obtain(ctx, "billing:close", 30*time.Second, nil)
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	b := &Biller{db, lock}
	for i := range open {
		if err := b.step(ctx, &open[i]); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	log.Println(closeMonth(context.Background(), redis.NewClient(&redis.Options{}), &gorm.DB{}, []Invoice{{ID: 1, Total: 90}}))
}
