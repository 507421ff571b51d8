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

// A keeper remembers whether it leads.
type keeper struct {
	index
	isLeader bool
}

// lead takes the lead for a minute.
func (k *keeper) lead(ctx context.Context) error {
	_, err := k.locks.Obtain(ctx, "leader-lock", time.Minute, nil)
	k.isLeader = err == nil
	return err
}

// tend acts as it remembers: what it stores without having read it is told too,
// as there is a check that promises more than it keeps.
func (k *keeper) tend(ctx context.Context) error {
	if !k.isLeader {
		return nil
	}
	n, err := k.rdb.Get(ctx, "tended").Int()
	if err != nil {
		return err
	}
	if err := k.rdb.Set(ctx, "tended", n+1, 0).Err(); err != nil { // want `^ttlcheck \(ownercheck\)`
		return err
	}
	return k.rdb.Set(ctx, "tended-by", "k", 0).Err() // want `^ttlcheck \(ownercheck\)`
}
