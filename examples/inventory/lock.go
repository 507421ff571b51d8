package inventory

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrLocked says that another worker holds the lock.
var ErrLocked = errors.New("locked by another worker")

const lease = 30 * time.Second

// A Lock is held by one worker, until it is released or its lease ends.
type Lock struct {
	rdb  *redis.Client
	name string
}

// Acquire takes the lock of an item.
func Acquire(ctx context.Context, rdb *redis.Client, item string) (*Lock, error) {
	name := "lock:" + item
	ok, err := rdb.SetNX(ctx, name, "locked", lease).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrLocked
	}
	return &Lock{rdb, name}, nil
}

// Release gives the lock back: whosever it is by now.
func (l *Lock) Release(ctx context.Context) error {
	return l.rdb.Del(ctx, l.name).Err()
}
