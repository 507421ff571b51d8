// Package joined begins work beside its own in one function, which gives back what
// ends it: whoever calls that waits until it has ended. The lock's own key is no
// work under it.
package joined

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type builder struct{ rdb *redis.Client }

func (b *builder) lock(ctx context.Context, id, owner string) (bool, error) {
	return b.rdb.SetNX(ctx, "build-lock:"+id, owner, time.Minute).Result()
}

var unlock = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

func (b *builder) build(ctx context.Context, id string) error {
	owner := uuid.NewString()
	ok, err := b.lock(ctx, id, owner)
	if err != nil || !ok {
		return err
	}
	defer unlock.Run(context.WithoutCancel(ctx), b.rdb, []string{"build-lock:" + id}, owner)
	stop := b.keep(ctx, id, owner)
	defer stop()
	return b.rdb.Get(ctx, "source:"+id).Err()
}

// keep prolongs the lock until it is told to stop.
func (b *builder) keep(ctx context.Context, id, owner string) func() {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(20 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if ok, err := b.renew(ctx, id, owner); err != nil || !ok {
					cancel()
					return
				}
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// A kept value is one that is set again for as long.
type kept interface {
	Get(ctx context.Context, key string) *redis.StringCmd
	Set(ctx context.Context, key string, value any, ttl time.Duration) *redis.StatusCmd
}

func (b *builder) renew(ctx context.Context, id, owner string) (bool, error) {
	return again(ctx, b.rdb, "build-lock:"+id, owner)
}

func again(ctx context.Context, k kept, key, owner string) (bool, error) {
	now, err := k.Get(ctx, key).Result()
	if err != nil || now != owner {
		return false, err
	}
	return true, k.Set(ctx, key, owner, time.Minute).Err()
}
