// Package answers takes locks and looks at what it got.
package answers

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

func work() { time.Sleep(time.Second) }

func looks(mu *redsync.Mutex) error {
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	work()
	return nil
}

func looksAtHandle(ctx context.Context, c *redislock.Client) {
	lock, _ := c.Obtain(ctx, "report", time.Minute, nil)
	if lock == nil {
		return
	}
	defer lock.Release(context.WithoutCancel(ctx))
	work()
}

// What refuses says so with an error, the bool only repeats it.
func take(mu *redsync.Mutex) (bool, error) {
	if err := mu.Lock(); err != nil {
		return false, err
	}
	return true, nil
}

func takes(mu *redsync.Mutex) error {
	if _, err := take(mu); err != nil {
		return err
	}
	defer mu.Unlock()
	work()
	return nil
}

func handsOn(ctx context.Context, rdb *redis.Client) *redis.BoolCmd {
	return rdb.SetNX(ctx, "lock:report", "me", time.Minute)
}

type elector struct {
	rdb     *redis.Client
	leading bool
}

// campaign keeps the answer, so that its result is only one way to hear it.
func (e *elector) campaign(ctx context.Context) bool {
	e.leading = e.rdb.SetNX(ctx, "leader", "me", time.Minute).Val()
	return e.leading
}

func (e *elector) run(ctx context.Context) {
	for ctx.Err() == nil {
		e.campaign(ctx)
		work()
	}
}

// A marker that nobody waits for: whether it was there does not matter.
func seen(ctx context.Context, rdb *redis.Client, id string) error {
	return rdb.SetNX(ctx, "seen:"+id, 1, time.Hour).Err()
}

// Value and expiry are queued, and take effect together.
func queued(ctx context.Context, rdb *redis.Client, name string) (bool, error) {
	pipe := rdb.TxPipeline()
	ok := pipe.SetNX(ctx, "lock:"+name, "me", 0)
	pipe.Expire(ctx, "lock:"+name, time.Minute)
	_, err := pipe.Exec(ctx)
	return ok.Val(), err
}

// A counter of a rate limit is no lock.
func limited(ctx context.Context, rdb *redis.Client, user string) (bool, error) {
	first, err := rdb.SetNX(ctx, "rate:"+user, 0, 0).Result()
	if err != nil {
		return false, err
	}
	if first {
		rdb.Expire(ctx, "rate:"+user, time.Minute)
	}
	n, err := rdb.Incr(ctx, "rate:"+user).Result()
	return n < 10, err
}

var free = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// The key is the same, whatever it is.
func sameKey(ctx context.Context, rdb *redis.Client, name, me string) error {
	key := "lock:" + name
	ok, err := rdb.SetNX(ctx, key, me, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer free.Run(context.WithoutCancel(ctx), rdb, []string{key}, me)
	defer rdb.Del(context.WithoutCancel(ctx), "tmp:"+name)
	work()
	return nil
}

// A cache: to compute twice does no harm.
func cached(ctx context.Context, rdb *redis.Client, id string) (string, error) {
	v, err := rdb.Get(ctx, "page:"+id).Result()
	if errors.Is(err, redis.Nil) {
		v = "rendered"
		return v, rdb.Set(ctx, "page:"+id, v, time.Minute).Err()
	}
	return v, err
}

// Both an error and a refusal are tried again: the own record runs out.
func spins(ctx context.Context, rdb *redis.Client, me string) error {
	for ctx.Err() == nil {
		if ok, err := rdb.SetNX(ctx, "lock:nightly", me, time.Minute).Result(); err == nil && ok {
			return nil
		}
		time.Sleep(time.Second)
	}
	return ctx.Err()
}

// An error is handed on.
func once(ctx context.Context, rdb *redis.Client, me string) (bool, error) {
	ok, err := rdb.SetNX(ctx, "lock:nightly", me, time.Minute).Result()
	if err != nil {
		return false, err
	}
	return ok, nil
}

var swapScript = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("SET", KEYS[1], ARGV[2]) end return redis.error_reply("changed")`)

var errChanged = errors.New("changed")

func swap(ctx context.Context, rdb *redis.Client, name, from, to string) error {
	return swapScript.Run(ctx, rdb, []string{"current:" + name}, from, to).Err()
}

// What the store holds is read back first.
func publish(ctx context.Context, rdb *redis.Client, name, from, to string) error {
	err := swap(ctx, rdb, name, from, to)
	if err == nil {
		return nil
	}
	now, rerr := rdb.Get(ctx, "current:"+name).Result()
	if rerr == nil && now != to {
		os.Remove(to)
	}
	return err
}

// Only a certain refusal cleans up.
func publishSure(ctx context.Context, rdb *redis.Client, name, from, to string) error {
	err := swap(ctx, rdb, name, from, to)
	if errors.Is(err, errChanged) {
		os.Remove(to)
	}
	return err
}
