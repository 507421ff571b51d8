// Package locks is a store with locks in it, as many projects write their own.
package locks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type Store struct{ rdb *redis.Client }

func (s *Store) Lock(ctx context.Context, key string, ttl time.Duration) (bool, error) {
	return s.rdb.SetNX(ctx, key, "true", ttl).Result()
}

func (s *Store) Unlock(ctx context.Context, key string) error {
	return s.rdb.Del(ctx, key).Err() // want `keyonlyrelease \(keyonly\)`
}

func (s *Store) Delete(ctx context.Context, key string) error { return s.rdb.Del(ctx, key).Err() }

func (s *Store) Set(ctx context.Context, key, value string) error {
	return s.rdb.Set(ctx, key, value, 0).Err()
}

// Use notes how much of a thing is used.
func (s *Store) Use(ctx context.Context, key string, n int) error {
	return s.rdb.Set(ctx, key, n, 0).Err()
}
