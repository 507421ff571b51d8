// Package taken takes elements out of a set, which the store gives to one caller
// each, and puts them back.
package taken

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type queue struct {
	locks *redislock.Client
	rdb   *redis.Client
}

// due puts back what it took out: a holder that is late overwrites the time that
// another has set.
func (q *queue) due(ctx context.Context) error {
	lock, err := q.locks.Obtain(ctx, "due", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	first, err := q.rdb.ZPopMin(ctx, "due-jobs", 1).Result()
	if err != nil {
		return err
	}
	for _, z := range first {
		z.Score += 60
		if err := q.rdb.ZAdd(ctx, "due-jobs", z).Err(); err != nil { // want `^unfencedwrite \(rmw\)`
			return err
		}
	}
	return nil
}

// next only takes out.
func (q *queue) next(ctx context.Context) (string, error) {
	lock, err := q.locks.Obtain(ctx, "next", time.Minute, nil)
	if err != nil {
		return "", err
	}
	defer lock.Release(ctx)
	return q.rdb.LPop(ctx, "jobs").Result()
}
