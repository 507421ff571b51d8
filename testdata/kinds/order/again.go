package order

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type retrier struct {
	locks *redislock.Client
	rdb   *redis.Client
}

// start calls itself when another change was under way: what it writes is one
// place, and told once.
func (r *retrier) start(ctx context.Context, name, state string) error {
	lock, err := r.locks.Obtain(ctx, "lock:"+name, time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	busy, err := r.rdb.Exists(ctx, "busy:"+name).Result()
	if err != nil {
		return err
	}
	if busy > 0 {
		return r.wait(ctx, name, state)
	}
	return r.rdb.Set(ctx, "state:"+name, state, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

func (r *retrier) wait(ctx context.Context, name, state string) error {
	time.Sleep(time.Second)
	return r.start(ctx, name, state)
}
