package answers

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

func twoCommands(c redis.Conn, name string) (bool, error) {
	key := "lock:" + name
	n, err := redis.Int(c.Do("SETNX", key, "me")) // want `lockresult \(nonatomicttl\): redis SETNX takes the lock without an end`
	if err != nil || n == 0 {
		return false, err
	}
	_, err = c.Do("EXPIRE", key, 30)
	return err == nil, err
}

func twoCalls(ctx context.Context, c rueidis.Client) error {
	ok, err := c.Do(ctx, c.B().Setnx().Key("lock:daily").Value("me").Build()).AsBool() // want `lockresult \(nonatomicttl\)`
	if err != nil || !ok {
		return err
	}
	return c.Do(ctx, c.B().Expire().Key("lock:daily").Seconds(30).Build()).Error()
}

func asValue(c redis.Conn) error {
	_, err := c.Do("SET", "lock:daily", "NX", "EX", 30) // want `lockresult \(modeasvalue\): redis SET stores the word NX`
	return err
}

func asValueOfClient(ctx context.Context, rdb *goredis.Client) bool {
	return rdb.Set(ctx, "lock:daily", "NX", time.Minute).Err() == nil // want `lockresult \(modeasvalue\): redis Set stores the word NX`
}
