// Package ticks takes locks that can be given up, and forgets to.
package ticks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/testdata/kinds/ticks/locks"
)

// Count stores how much there is.
func Count(ctx context.Context, rdb *redis.Client, owner string) {
	if !locks.Lock(ctx, rdb, "count", owner, time.Minute) {
		return
	}
	rdb.Set(ctx, "counted", rdb.DBSize(ctx).Val(), 0) // want `^unfencedwrite \(unfenced\)`
}
