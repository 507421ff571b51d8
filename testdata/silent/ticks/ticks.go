// Package ticks works once in a while, on whichever machine comes first. Its
// locks are there to run out.
package ticks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/testdata/silent/ticks/locks"
)

// Count stores how much there is, every minute.
func Count(ctx context.Context, rdb *redis.Client) {
	for range time.Tick(time.Minute) {
		if !locks.Lock(ctx, rdb, "count", time.Minute) {
			continue
		}
		rdb.Set(ctx, "counted", rdb.DBSize(ctx).Val(), 0)
	}
}
