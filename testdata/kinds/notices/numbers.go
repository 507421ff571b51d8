package notices

import (
	"context"

	"github.com/redis/go-redis/v9"
)

type counter struct {
	office
	rdb *redis.Client
}

// weigh adds to what the car carries.
func (c *counter) weigh(ctx context.Context, of string) (int64, error) {
	return c.rdb.Incr(ctx, "load:"+of).Result() // want `^unfencedwrite \(unfenced\)`
}

func (c *counter) label(ctx context.Context) (int64, error) {
	if err := c.mutex.LockContext(ctx); err != nil {
		return 0, err
	}
	defer c.mutex.UnlockContext(context.WithoutCancel(ctx))
	return c.weigh(ctx, "car")
}
