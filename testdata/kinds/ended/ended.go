// Package ended asks the clock whether a lease is over, in both ways: who goes on
// because it lives is told so, who goes on because it is over takes something away
// from a holder that it judges dead.
package ended

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type task struct {
	ID         string
	LeaseUntil time.Time
}

type tasks struct{ rdb *redis.Client }

func (t *tasks) finish(ctx context.Context, k *task) error {
	if time.Now().After(k.LeaseUntil) {
		return nil
	}
	return t.rdb.Set(ctx, "task:"+k.ID, "done", 0).Err() // want `^ttlcheck \(clock\)`
}

func (t *tasks) proceed(ctx context.Context, k *task) error {
	if !k.LeaseUntil.Before(time.Now()) {
		return t.rdb.Set(ctx, "task:"+k.ID, "running", 0).Err() // want `^ttlcheck \(clock\)`
	}
	return nil
}

func (t *tasks) repair(ctx context.Context, k *task) error {
	if time.Now().After(k.LeaseUntil) {
		return t.rdb.Set(ctx, "task:"+k.ID, "timeout", 0).Err() // want `^ttlcheck \(takeover\)`
	}
	return nil
}

func (t *tasks) reset(ctx context.Context, k *task) error {
	if k.LeaseUntil.After(time.Now()) {
		return nil
	}
	return t.rdb.Set(ctx, "task:"+k.ID, "new", 0).Err() // want `^ttlcheck \(takeover\)`
}
