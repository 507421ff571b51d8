package releases

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// A lock may be none.
type lock interface {
	Release(ctx context.Context) error
}

type none struct{}

func (none) Release(context.Context) error { return nil }

type cellar struct {
	locks *redislock.Client
	rdb   *redis.Client
	shelf *redis.Client
}

func (c *cellar) lock(ctx context.Context, name string) (lock, error) {
	l, err := c.locks.Obtain(ctx, "cellar:"+name, time.Minute, nil)
	if err != nil {
		return none{}, err
	}
	return l, nil
}

func (c *cellar) releaseLock(ctx context.Context, l lock) { _ = l.Release(ctx) }

// look gives its lock up, whichever it is.
func (c *cellar) look(ctx context.Context, name string) (string, error) {
	l, err := c.lock(ctx, name)
	if err != nil {
		return "", err
	}
	defer c.releaseLock(ctx, l)
	return c.rdb.Get(ctx, "wine:"+name).Result()
}

func (c *cellar) drink(ctx context.Context, name string) error {
	if _, err := c.look(ctx, name); err != nil {
		return err
	}
	return c.shelf.Set(ctx, "drunk", name, 0).Err()
}
