package redislocks

import (
	"context"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// The owner is compared in the worker, then the key is deleted.
type compared struct {
	rdb   *redis.Client
	key   string
	token string
}

func compare(ctx context.Context, rdb *redis.Client, name string) (*compared, error) {
	c := &compared{rdb, "lock:compared:" + name, uuid.NewString()}
	ok, err := rdb.SetNX(ctx, c.key, c.token, ttl).Result()
	if err != nil || !ok {
		return nil, err
	}
	return c, nil
}

func (c *compared) Unlock(ctx context.Context) error {
	got, err := c.rdb.Get(ctx, c.key).Result()
	if err != nil {
		return err
	}
	if got == c.token {
		return c.rdb.Del(ctx, c.key).Err() // want `keyonlyrelease \(getthendel\)`
	}
	return nil
}

func (c *compared) mine(ctx context.Context) bool {
	return c.rdb.Get(ctx, c.key).Val() == c.token
}

func (c *compared) Extend(ctx context.Context) error {
	if !c.mine(ctx) {
		return nil
	}
	return c.rdb.Expire(ctx, c.key, ttl).Err() // want `keyonlyrelease \(getthendel\): .* prolongs`
}

// The store compares, but every process stores the same value.
const compareAndDelete = `
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`

const everybody = "locked"

func constOwner(ctx context.Context, rdb *redis.Client, name string) error {
	ok, err := rdb.SetNX(ctx, "lock:const:"+name, everybody, ttl).Result()
	if err != nil || !ok {
		return err
	}
	return rdb.Eval(ctx, compareAndDelete, []string{"lock:const:" + name}, everybody).Err() // want `keyonlyrelease \(constowner\)`
}

// A script that compares nothing.
var free = redis.NewScript(`redis.call("DEL", KEYS[1]) return 1`)

func scripted(ctx context.Context, rdb *redis.Client, name string) error {
	ok, err := rdb.SetNX(ctx, "lock:script:"+name, uuid.NewString(), ttl).Result()
	if err != nil || !ok {
		return err
	}
	return free.Run(ctx, rdb, []string{"lock:script:" + name}).Err() // want `keyonlyrelease \(luakeyonly\)`
}

// The release is registered before the answer is looked at.
func early(ctx context.Context, rdb *redis.Client, name string) error {
	ok, err := rdb.SetNX(ctx, "lock:early:"+name, uuid.NewString(), ttl).Result()
	defer rdb.Del(ctx, "lock:early:"+name) // want `keyonlyrelease \(notacquired\)`
	if err != nil || !ok {
		return err
	}
	return nil
}
