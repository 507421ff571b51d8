package answers

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

func lookThenSet(ctx context.Context, rdb *goredis.Client, name string) (bool, error) {
	n, err := rdb.Exists(ctx, "lock:"+name).Result()
	if err != nil {
		return false, err
	}
	if n > 0 {
		return false, nil
	}
	return true, rdb.Set(ctx, "lock:"+name, "me", time.Minute).Err() // want `lockresult \(acquirenotatomic\): redis Set takes the lock after a look`
}

func getThenSet(ctx context.Context, rdb *goredis.Client, name string) error {
	_, err := rdb.Get(ctx, "lock:"+name).Result()
	if errors.Is(err, goredis.Nil) {
		return rdb.Set(ctx, "lock:"+name, "me", time.Minute).Err() // want `lockresult \(acquirenotatomic\)`
	}
	return errors.New("taken")
}

func tryLock(c redis.Conn, name string) (bool, error) {
	owner, err := redis.String(c.Do("GET", name))
	if err != nil && err != redis.ErrNil {
		return false, err
	}
	if owner == "" {
		_, err = c.Do("SET", name, "me", "EX", 30) // want `lockresult \(acquirenotatomic\)`
		return err == nil, err
	}
	return false, nil
}

func triesAgain(ctx context.Context, rdb *goredis.Client, me string) bool {
	for range 3 {
		ok, err := rdb.SetNX(ctx, "lock:nightly", me, time.Minute).Result() // want `lockresult \(retrynotidempotent\)`
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		return ok
	}
	return false
}

func swap(ctx context.Context, rdb *goredis.Client, name, from, to string) error {
	err := swapScript.Run(ctx, rdb, []string{"current:" + name}, from, to).Err()
	return err
}

var swapScript = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("SET", KEYS[1], ARGV[2]) end return redis.error_reply("changed")`)

func publish(ctx context.Context, rdb *goredis.Client, name, from, to string) error {
	if err := swap(ctx, rdb, name, from, to); err != nil {
		os.Remove(to) // want `lockresult \(ambiguousresult\): file Remove removes what a conditional change names`
		return err
	}
	return nil
}
