// Package inner takes a lease for each change that it makes.
package inner

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type Approvals struct {
	locks *redislock.Client
	rdb   *redis.Client
}

// Add reads, changes and stores under a lease of its own.
func (a *Approvals) Add(ctx context.Context, user string) error {
	lock, err := a.locks.Obtain(ctx, "approvals", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	old, err := a.rdb.Get(ctx, "approved").Result()
	if err != nil {
		return err
	}
	return a.rdb.Set(ctx, "approved", old+","+user, 0).Err() // want `^unfencedwrite \(rmw\)`
}

// All reads what is stored.
func (a *Approvals) All(ctx context.Context) (string, error) {
	return a.rdb.Get(ctx, "approved").Result()
}

// Put stores what it is given, under no lease of its own.
func (a *Approvals) Put(ctx context.Context, users string) error {
	return a.rdb.Set(ctx, "approved", users, 0).Err()
}
