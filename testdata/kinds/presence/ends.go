package presence

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// seize takes a lock whose value says when it ends, once that is past.
func seize(ctx context.Context, rdb *redis.Client, ttl time.Duration) (bool, error) {
	ok, err := rdb.SetNX(ctx, "jobs-lock", strconv.FormatInt(time.Now().Add(ttl).UnixNano(), 10), 0).Result()
	if err != nil || ok {
		return ok, err
	}
	ends, err := rdb.Get(ctx, "jobs-lock").Int64()
	if err != nil {
		return false, err
	}
	if now := time.Now().UnixNano(); now > ends {
		err = rdb.Set(ctx, "jobs-lock", strconv.FormatInt(now+int64(ttl), 10), 0).Err() // want `^ttlcheck \(takeover\)`
		return err == nil, err
	}
	return false, nil
}
