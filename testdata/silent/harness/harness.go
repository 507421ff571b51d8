// Package harness starts what tests run against. It is no test by its name.
package harness

import (
	"context"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Run fills the store and runs the tests.
func Run(ctx context.Context, m *testing.M, locks *redislock.Client, rdb *redis.Client) int {
	lock, err := locks.Obtain(ctx, "fixtures-lock", time.Minute, nil)
	if err != nil {
		return 1
	}
	defer lock.Release(ctx)
	if err := rdb.Set(ctx, "fixture", "1", 0).Err(); err != nil {
		return 1
	}
	return m.Run()
}
