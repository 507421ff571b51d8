package keys

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type flags struct {
	rdb   *redis.Client
	locks *redislock.Client
}

// raise sets a flag under a name that it has read: what was read is not stored.
func (f *flags) raise(ctx context.Context, name string) error {
	lock, err := f.locks.Obtain(ctx, "flags", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	of, err := f.rdb.Get(ctx, "flag-of:"+name).Result()
	if err != nil {
		return err
	}
	return set(ctx, f.rdb, of) // want `^unfencedwrite \(unfenced\)`
}

func set(ctx context.Context, rdb *redis.Client, of string) error {
	return rdb.Set(ctx, "flag:"+of, "1", 0).Err()
}
