// Package copies stores records that end by themselves and are the only truth
// all the same: they look like copies of an answer, and are not.
package copies

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

type session struct {
	Seen  time.Time
	Calls int
}

type sessions struct {
	mutex *redsync.Mutex
	rdb   *redis.Client
}

// count returns the number that it stores.
func (s *sessions) count(ctx context.Context, id string) (int, error) {
	if err := s.mutex.LockContext(ctx); err != nil {
		return 0, err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	n, err := s.rdb.Get(ctx, "calls:"+id).Int()
	if err != nil {
		return 0, err
	}
	n++
	return n, s.rdb.Set(ctx, "calls:"+id, n, time.Hour).Err() // want `unfencedwrite \(rmw\)`
}

// touch changes what it has read into its caller's variable.
func (s *sessions) touch(ctx context.Context, id string, into *session) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	if err := s.load(ctx, id, into); err != nil {
		return err
	}
	into.Seen = time.Now()
	return s.save(ctx, id, into)
}

// beat stores a sign of life, which nobody asked for.
func (s *sessions) beat(ctx context.Context, id string) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	return s.rdb.Set(ctx, "owner:"+id, "taken", time.Minute).Err() // want `unfencedwrite \(unfenced\)`
}

func (s *sessions) load(ctx context.Context, key string, into *session) error {
	text, err := s.rdb.Get(ctx, key).Result()
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

func (s *sessions) save(ctx context.Context, key string, v *session) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.rdb.Set(ctx, key, text, 0).Err() // want `unfencedwrite \((rmw|unfenced)\)`
}
