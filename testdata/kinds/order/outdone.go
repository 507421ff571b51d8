package order

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type index struct {
	locks *redislock.Client
	rdb   *redis.Client
}

// raise stores what it has read, one higher, and notes when: the first tells
// what has to change.
func (x *index) raise(ctx context.Context, name string) error {
	lock, err := x.locks.Obtain(ctx, "lock:"+name, time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	n, err := x.rdb.Get(ctx, "level:"+name).Int()
	if err != nil {
		return err
	}
	if err := x.rdb.Set(ctx, "raised:"+name, time.Now().String(), 0).Err(); err != nil {
		return err
	}
	return x.rdb.Set(ctx, "level:"+name, n+1, 0).Err() // want `^unfencedwrite \(rmw\): .*one more write`
}

// rename stores two things, of which neither was read.
func (x *index) rename(ctx context.Context, name, first, last string) error {
	lock, err := x.locks.Obtain(ctx, "lock:"+name, time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	if err := x.rdb.Set(ctx, "first:"+name, first, 0).Err(); err != nil { // want `^unfencedwrite \(unfenced\)`
		return err
	}
	return x.rdb.Set(ctx, "last:"+name, last, 0).Err() // want `^unfencedwrite \(unfenced\)`
}
