package caches

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// PageCache and PageStore offer the same; only the first says that what is true
// stands elsewhere.
type PageCache interface {
	SetPage(ctx context.Context, id, page string) error
}

type PageStore interface {
	PutPage(ctx context.Context, id, page string) error
}

type redisPages struct{ rdb *redis.Client }

func (r *redisPages) SetPage(ctx context.Context, id, page string) error {
	return r.rdb.Set(ctx, "page:"+id, page, 0).Err()
}

func (r *redisPages) PutPage(ctx context.Context, id, page string) error {
	return r.rdb.Set(ctx, "stored:"+id, page, 0).Err()
}

type renderer struct {
	locks  *redislock.Client
	copies PageCache
	pages  PageStore
	draw   func(id string) string
}

func newRenderer(rdb *redis.Client, draw func(id string) string) *renderer {
	r := &redisPages{rdb}
	return &renderer{redislock.New(rdb), r, r, draw}
}

func (r *renderer) Render(ctx context.Context, id string) error {
	lock, err := r.locks.Obtain(ctx, "lock:"+id, time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	page := r.draw(id)
	if err := r.copies.SetPage(ctx, id, page); err != nil {
		return err
	}
	return r.pages.PutPage(ctx, id, page) // want `^unfencedwrite \(unfenced\)`
}

// An AnyCache keeps whatever it is told, under the key that it is told: its name
// says nothing of what that is.
type AnyCache struct{ rdb *redis.Client }

func (c *AnyCache) Write(ctx context.Context, key, value string) error {
	return c.rdb.Set(ctx, key, value, 0).Err()
}

func (r *renderer) Approve(ctx context.Context, id string, cache *AnyCache) error {
	lock, err := r.locks.Obtain(ctx, "lock:"+id, time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	return cache.Write(ctx, "approved:"+id, r.draw(id)) // want `^unfencedwrite`
}

// A SumCache fills and empties itself under a lock of its own; what it counts up
// stands nowhere else.
type SumCache struct {
	locks *redislock.Client
	rdb   *redis.Client
}

func (c *SumCache) Refresh(ctx context.Context, id, sum string) error {
	lock, err := c.locks.Obtain(ctx, "lock:"+id, time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	if err := c.rdb.Incr(ctx, "refreshed:"+id).Err(); err != nil { // want `^unfencedwrite`
		return err
	}
	return c.rdb.Set(ctx, "sum:"+id, sum, 0).Err()
}
