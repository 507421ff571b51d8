// Package joined looks like silent/joined, and is not: what it gives back only says
// that the work should end, or the work is none on the lock.
package joined

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type builder struct{ rdb *redis.Client }

var unlock = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

func (b *builder) build(ctx context.Context, id string) error {
	owner := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, "build-lock:"+id, owner, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer unlock.Run(context.WithoutCancel(ctx), b.rdb, []string{"build-lock:" + id}, owner)
	stop := b.tell(ctx, id)
	defer stop()
	return b.rdb.Get(ctx, "source:"+id).Err()
}

// tell goes on for a while when it was told to stop.
func (b *builder) tell(ctx context.Context, id string) func() {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for ctx.Err() == nil {
			b.rdb.Set(context.WithoutCancel(ctx), "progress:"+id, "building", 0) // want `^unfencedwrite \(escaped\)`
			<-tick.C
		}
	}()
	return func() { cancel() }
}

func (b *builder) finish(ctx context.Context, id string) error {
	owner := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, "build-lock:"+id, owner, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer unlock.Run(context.WithoutCancel(ctx), b.rdb, []string{"build-lock:" + id}, owner)
	stop := b.mark(ctx, id)
	defer stop()
	return nil
}

// mark is waited for, and works on another key.
func (b *builder) mark(ctx context.Context, id string) func() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.rdb.Set(ctx, "built:"+id, "yes", 0) // want `^unfencedwrite \(unfenced\)`
	}()
	return func() { <-done }
}
