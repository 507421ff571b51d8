package wrappers

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// A heldLock is a lock that was taken, or stands for one that was not.
type heldLock interface {
	Release(ctx context.Context) error
}

type noLock struct{}

func (noLock) Release(context.Context) error { return nil }

type store struct {
	locks *redislock.Client
	rdb   *redis.Client
}

func (s *store) acquire(ctx context.Context, name string) (heldLock, error) {
	lock, err := s.locks.Obtain(ctx, "lock:"+name, time.Minute, nil)
	if err != nil {
		return noLock{}, err
	}
	return lock, nil
}

// giveBack frees whatever lock it is given.
func (s *store) giveBack(ctx context.Context, lock heldLock) {
	if err := lock.Release(ctx); err != nil {
		log.Print(err)
	}
}

// put holds the lock no longer than it takes.
func (s *store) put(ctx context.Context, name, text string) {
	lock, err := s.acquire(ctx, name)
	if err != nil {
		return
	}
	defer s.giveBack(ctx, lock)
	s.rdb.Set(ctx, "text:"+name, text, 0) // want `^unfencedwrite \(unfenced\)`
}

// Both writes what needs no lock when put is done.
func (s *store) Both(ctx context.Context, name, text string) {
	s.put(ctx, name, text)
	s.rdb.Set(ctx, "free:"+name, text, 0)
}
