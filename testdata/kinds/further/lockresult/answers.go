// Package answers takes locks that are not what their taker believes.
package answers

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
)

func work() { time.Sleep(time.Second) }

func dropsError(mu *redsync.Mutex) {
	mu.Lock() // want `lockresult \(lockresultignored\): nothing looks at the answer of redis Lock`
	defer mu.Unlock()
	work()
}

func blankError(ctx context.Context, c *redislock.Client) {
	lock, _ := c.Obtain(ctx, "report", time.Minute, nil) // want `lockresult \(lockresultignored\)`
	defer lock.Release(context.WithoutCancel(ctx))
	work()
}

func onlyError(ctx context.Context, rdb *redis.Client) error {
	if err := rdb.SetNX(ctx, "lock:report", "me", time.Minute).Err(); err != nil { // want `lockresult \(lockresultignored\): only the error of redis SetNX`
		return err
	}
	work()
	return nil
}

func onlyErrorOfResult(ctx context.Context, rdb *redis.Client) error {
	_, err := rdb.SetNX(ctx, "lock:report", "me", time.Minute).Result() // want `lockresult \(lockresultignored\): only the error of redis SetNX`
	if err != nil {
		return err
	}
	work()
	return nil
}

func onlyErrorOfConsul(kv *api.KV, p *api.KVPair) error {
	_, _, err := kv.Acquire(p, nil) // want `lockresult \(lockresultignored\): only the error of consul Acquire`
	if err != nil {
		return err
	}
	work()
	return nil
}

type guard struct{ mu *redsync.Mutex }

// Lock cannot tell its callers that there is no lock.
func (g *guard) Lock() {
	g.mu.Lock() // want `lockresult \(lockresultignored\)`
}

// take answers no without an error.
func take(ctx context.Context, rdb *redis.Client) (bool, error) {
	return rdb.SetNX(ctx, "lock:report", "me", time.Minute).Result()
}

func takes(ctx context.Context, rdb *redis.Client) error {
	if _, err := take(ctx, rdb); err != nil { // want `lockresult \(lockresultignored\): only the error of redis SetNX`
		return err
	}
	work()
	return nil
}
