// Package tokenissue draws fencing tokens that do not follow the holders.
package tokenissue

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

func afterLock(ctx context.Context, c *redislock.Client, rdb *goredis.Client, name string) (int64, error) {
	if _, err := c.Obtain(ctx, "lock:"+name, time.Minute, nil); err != nil {
		return 0, err
	}
	return rdb.Incr(ctx, "fence:"+name).Result() // want `tokenissue \(tokennotatomic\): redis Incr draws the fencing token in a step after the lock was taken`
}

func beforeLock(c redis.Conn, name string) (int64, error) {
	token, err := redis.Int64(c.Do("INCR", "epoch:"+name)) // want `tokenissue \(tokennotatomic\): redis INCR draws the fencing token in a step before the lock`
	if err != nil {
		return 0, err
	}
	_, err = redis.String(c.Do("SET", "lock:"+name, token, "NX", "PX", 30000))
	return token, err
}

func expires(ctx context.Context, rdb *goredis.Client, name string) {
	rdb.Expire(ctx, "fence:"+name, time.Hour) // want `tokenissue \(tokenreset\): redis Expire lets the counter of the fencing tokens expire`
}

func goesWithLock(ctx context.Context, rdb *goredis.Client, name string) {
	rdb.Del(ctx, "fence:"+name) // want `tokenissue \(tokenreset\): redis Del removes the counter`
}

var acquire = goredis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	local token = redis.call("INCR", KEYS[2])
	redis.call("PEXPIRE", KEYS[2], ARGV[2])
	return token
end
return 0`)

func inScript(ctx context.Context, rdb *goredis.Client, name, me string) (int64, error) {
	return acquire.Run(ctx, rdb, []string{"lock:" + name, "fencing:" + name}, me, 30000).Int64() // want `tokenissue \(tokenreset\)`
}
