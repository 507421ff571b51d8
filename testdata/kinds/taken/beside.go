package taken

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// announce tells others what it took out, in a message of its own.
func (q *queue) announce(ctx context.Context) error {
	lock, err := q.locks.Obtain(ctx, "announced", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	job, err := q.rdb.RPop(ctx, "announced-jobs").Result()
	if err != nil {
		return err
	}
	return q.rdb.XAdd(ctx, &redis.XAddArgs{Stream: "news", Values: []string{"job", job}}).Err() // want `^unfencedwrite \(unfenced\)`
}
