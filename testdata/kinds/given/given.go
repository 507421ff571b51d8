// Package given tells a runner how to take a lease, how to give it back and what to
// do meanwhile: that runs under the lease, and what follows the call does not.
package given

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type blocks struct{ rdb *redis.Client }

var errTaken = errors.New("taken")

func (b *blocks) take(ctx context.Context, name string) (string, error) {
	id := uuid.NewString()
	ok, err := b.rdb.SetNX(ctx, "block-lock:"+name, id, time.Minute).Result()
	if err != nil {
		return "", err
	}
	if !ok {
		return "", errTaken
	}
	return id, nil
}

func (b *blocks) give(ctx context.Context, name, id string) error {
	return freeScript.Run(ctx, b.rdb, []string{"block-lock:" + name}, id).Err()
}

var freeScript = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

// run takes, works and gives back.
func run(ctx context.Context, take func(context.Context) (string, error), give func(context.Context, string) error, work func(context.Context) error) error {
	id, err := take(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = give(ctx, id) }()
	return work(ctx)
}

func (b *blocks) flush(ctx context.Context, name string) error {
	return run(ctx,
		func(ctx context.Context) (string, error) { return b.take(ctx, name) },
		func(ctx context.Context, id string) error { return b.give(ctx, name, id) },
		func(ctx context.Context) error { return b.write(ctx, name) })
}

func (b *blocks) write(ctx context.Context, name string) error {
	all, err := b.rdb.LRange(ctx, "buffer:"+name, 0, -1).Result()
	if err != nil {
		return err
	}
	return b.rdb.HSet(ctx, "blocks", name, len(all)).Err() // want `^unfencedwrite \(unfenced\)`
}

// with lends the lease to what it is given.
func (b *blocks) with(ctx context.Context, name string, work func(context.Context) error) error {
	return run(ctx,
		func(ctx context.Context) (string, error) { return b.take(ctx, name) },
		func(ctx context.Context, id string) error { return b.give(ctx, name, id) },
		work)
}

func (b *blocks) pack(ctx context.Context, name string) error {
	return b.with(ctx, name, func(ctx context.Context) error {
		return b.rdb.HSet(ctx, "packed", name, "yes").Err() // want `^unfencedwrite \(unfenced\)`
	})
}

// end is called when no lease is held any more.
func (b *blocks) end(ctx context.Context, name string) error {
	if err := b.flush(ctx, name); err != nil {
		return err
	}
	return b.rdb.Set(ctx, "ended:"+name, "yes", 0).Err()
}
