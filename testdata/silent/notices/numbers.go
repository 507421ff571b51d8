package notices

import (
	"context"

	"github.com/redis/go-redis/v9"
)

type counter struct {
	office
	rdb *redis.Client
}

// NextNumber gives out one number after the other.
func (c *counter) NextNumber(ctx context.Context, of string) (int64, error) {
	return c.rdb.Incr(ctx, "numbers:"+of).Result()
}

func (c *counter) label(ctx context.Context) (int64, error) {
	if err := c.mutex.LockContext(ctx); err != nil {
		return 0, err
	}
	defer c.mutex.UnlockContext(context.WithoutCancel(ctx))
	return c.NextNumber(ctx, "parcel")
}
