package undone

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type schema struct {
	locks *redislock.Client
	rdb   *redis.Client
}

// migrate takes the lock for itself; that it forgets it where something fails
// does not hand it to its caller.
func (s *schema) migrate(ctx context.Context) error {
	lock, err := s.locks.Obtain(ctx, "schema-lock", time.Minute, nil)
	if err != nil {
		return err
	}
	if err := s.rdb.Set(ctx, "schema", "2", 0).Err(); err != nil { // want `^unfencedwrite \(unfenced\)`
		return err
	}
	return lock.Release(ctx)
}

// Start writes when the schema is there.
func (s *schema) Start(ctx context.Context) error {
	if err := s.migrate(ctx); err != nil {
		return err
	}
	return s.rdb.Set(ctx, "started", "1", 0).Err()
}

// open takes the lock for its caller, and gives it up where it fails.
func (s *schema) open(ctx context.Context) (*redislock.Lock, error) {
	lock, err := s.locks.Obtain(ctx, "schema-lock", time.Minute, nil)
	if err != nil {
		return nil, err
	}
	if err := s.rdb.Ping(ctx).Err(); err != nil {
		lock.Release(ctx)
		return nil, err
	}
	return lock, nil
}

// Alter writes under the lock that open took.
func (s *schema) Alter(ctx context.Context) error {
	lock, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	return s.rdb.Set(ctx, "altered", "1", 0).Err() // want `^unfencedwrite \(unfenced\)`
}
