// Package tokenissue takes lock and token in one step.
package tokenissue

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

var acquire = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return redis.call("INCR", KEYS[2])
end
return 0`)

func inScript(ctx context.Context, rdb *redis.Client, name, me string) (int64, error) {
	return acquire.Run(ctx, rdb, []string{"lock:" + name, "fencing:" + name}, me, 30000).Int64()
}

// A token of a rate limit may start again.
func limited(ctx context.Context, rdb *redis.Client, user string) (bool, error) {
	n, err := rdb.Incr(ctx, "tokens:"+user).Result()
	if err == nil && n == 1 {
		err = rdb.Expire(ctx, "tokens:"+user, time.Minute).Err()
	}
	return n < 10, err
}

// The generation of a cache guards no lock.
func invalidate(ctx context.Context, rdb *redis.Client) error {
	return rdb.Incr(ctx, "generation:pages").Err()
}
