// Package quiet has the same faults, silenced in two ways.
package quiet

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

func nolint(ctx context.Context, rdb *redis.Client, name string) error {
	ok, err := rdb.SetNX(ctx, "lock:"+name, 1, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	return rdb.Del(ctx, "lock:"+name).Err() //nolint:fencelint // one process only
}

func ignored(ctx context.Context, rdb *redis.Client, name string) error {
	ok, err := rdb.SetNX(ctx, "lock:"+name, 1, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	//fencelint:ignore keyonlyrelease one process only
	return rdb.Del(ctx, "lock:"+name).Err()
}
