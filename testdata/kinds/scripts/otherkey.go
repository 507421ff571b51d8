// Package scripts holds releases by script.
package scripts

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// A script that looks at another key than the one it deletes.
func otherKey(ctx context.Context, rdb *redis.Client, name string) error {
	const script = `if redis.call("GET", KEYS[2]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
	token := uuid.NewString()
	ok, err := rdb.SetNX(ctx, "lock:other:"+name, token, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	return rdb.Eval(ctx, script, []string{"lock:other:" + name, "owner:" + name}, token).Err() // want `keyonlyrelease \(luakeyonly\)`
}
