package wrappers

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// A noted lock says when it is given up.
type noted struct {
	*redislock.Lock
	name string
}

func (n *noted) Release(ctx context.Context) error {
	if err := n.Lock.Release(ctx); err != nil {
		return err
	}
	log.Print(n.name, " is free")
	return nil
}

type notedLocks struct {
	locks *redislock.Client
	rdb   *redis.Client
}

func (l *notedLocks) obtain(ctx context.Context, name string) (*noted, error) {
	lock, err := l.locks.Obtain(ctx, "lock:"+name, time.Minute, nil)
	if err != nil {
		return nil, err
	}
	return &noted{Lock: lock, name: name}, nil
}

// rename gives the lock up, in the wrapper's name, before it comes back.
func (l *notedLocks) rename(ctx context.Context, from, to string) error {
	lock, err := l.obtain(ctx, from)
	if err != nil {
		return err
	}
	defer func() {
		if err := lock.Release(ctx); err != nil {
			log.Print(err)
		}
	}()
	return l.rdb.Set(ctx, "renamed:"+from, to, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// Move writes more when the lock is free again, and needs no lock for that.
func (l *notedLocks) Move(ctx context.Context, from, to string) error {
	if err := l.rename(ctx, from, to); err != nil {
		log.Print(err)
	}
	return l.rdb.Set(ctx, "moved:"+from, to, 0).Err()
}
