// Case R005: every client stores the same lock value, so the compare in the release
// script is true for every caller: in effect a delete by key.
// To flag: the release in the generic helper, because the compared value is a constant
// that is the same in all processes (not made per acquisition).
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

const owner = "1"

var cad = redis.NewScript(`if redis.call("GET",KEYS[1])==ARGV[1] then return redis.call("DEL",KEYS[1]) end return 0`)

func WithLock[T any](ctx context.Context, rdb redis.Scripter, set redis.Cmdable, key string, fn func(context.Context) (T, error)) (T, error) {
	var zero T
	ok, err := set.SetNX(ctx, key, owner, 10*time.Second).Result()
	if err != nil || !ok {
		return zero, errors.Join(err, errors.New("busy"))
	}
	defer cad.Run(ctx, rdb, []string{key}, owner) // want `keyonlyrelease \(constowner\)`
	return fn(ctx)
}

func main() {
	rdb := redis.NewClient(&redis.Options{})
	n, err := WithLock(context.Background(), rdb, rdb, "lock:report", func(ctx context.Context) (int64, error) {
		return rdb.DBSize(ctx).Result()
	})
	log.Println(n, err)
}
