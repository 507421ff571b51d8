// Package redislock implements locks.Locker.
package redislock

import (
	"context"

	"example.com/app/locks"
	"github.com/redis/go-redis/v9"
)

type locker struct{ rdb *redis.Client }

func New(rdb *redis.Client) locks.Locker { return &locker{rdb} }

func (l *locker) Acquire(ctx context.Context, name string) (bool, error) {
	return locks.Acquire(ctx, l.rdb, name)
}

func (l *locker) Release(ctx context.Context, name string) error {
	return locks.Release(ctx, l.rdb, name)
}
