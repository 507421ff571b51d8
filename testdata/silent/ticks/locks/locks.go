// Package locks takes locks that nobody gives up.
package locks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lock reports whether nobody else took the lock in the time that has passed.
func Lock(ctx context.Context, rdb *redis.Client, name string, every time.Duration) bool {
	ok, err := rdb.SetNX(ctx, "lock:"+name, "1", every).Result()
	return err == nil && ok
}
