// Package locks hides the lock client behind functions and an interface.
package locks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Locker is implemented in a package that imports this one.
type Locker interface {
	Acquire(ctx context.Context, name string) (bool, error)
	Release(ctx context.Context, name string) error
}

func Acquire(ctx context.Context, rdb *redis.Client, name string) (bool, error) {
	return rdb.SetNX(ctx, "lock:"+name, 1, time.Minute).Result()
}

func Release(ctx context.Context, rdb *redis.Client, name string) error {
	return rdb.Del(ctx, "lock:"+name).Err()
}
