// Package locks takes locks, and gives them up.
package locks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lock reports whether nobody else holds the lock.
func Lock(ctx context.Context, rdb *redis.Client, name, owner string, ttl time.Duration) bool {
	ok, err := rdb.SetNX(ctx, "lock:"+name, owner, ttl).Result()
	return err == nil && ok
}

var free = redis.NewScript(`if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`)

// Unlock gives the lock up if it is still that of its owner.
func Unlock(ctx context.Context, rdb *redis.Client, name, owner string) error {
	return free.Run(ctx, rdb, []string{"lock:" + name}, owner).Err()
}
