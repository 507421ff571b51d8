// Package order makes several changes behind one call.
package order

import (
	"context"

	"github.com/fencelint/fencelint/testdata/kinds/order/store"
	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type certs struct {
	rdb *redis.Client
	mu  *concurrency.Mutex

	root func() string // the key of the root
}

func (c *certs) renew(ctx context.Context, root string) error {
	if err := c.mu.Lock(ctx); err != nil {
		return err
	}
	defer c.mu.Unlock(ctx)
	return c.sign(ctx, root)
}

// sign stores the root, which is told rather than what follows from it.
func (c *certs) sign(ctx context.Context, root string) error {
	if err := c.rdb.Set(ctx, "root", root, 0).Err(); err != nil { // want `^unfencedwrite \(unfenced\)`
		return err
	}
	return c.all(ctx)
}

func (c *certs) all(ctx context.Context) error {
	names, err := c.rdb.Get(ctx, "leaves").Result()
	if err != nil {
		return err
	}
	return c.rdb.Set(ctx, "leaves", names+",", 0).Err()
}

func (c *certs) count(ctx context.Context) error {
	if err := c.mu.Lock(ctx); err != nil {
		return err
	}
	defer c.mu.Unlock(ctx)
	return c.both(ctx)
}

// both shows that one of its changes stores what was read: that one loses more.
func (c *certs) both(ctx context.Context) error {
	if err := c.rdb.Set(ctx, "seen", "yes", 0).Err(); err != nil {
		return err
	}
	n, err := c.rdb.Get(ctx, "signed").Int()
	if err != nil {
		return err
	}
	return c.rdb.Set(ctx, "signed", n+1, 0).Err() // want `^unfencedwrite \(rmw\)`
}

func (c *certs) renewAll(ctx context.Context, root string) error {
	if err := c.mu.Lock(ctx); err != nil {
		return err
	}
	defer c.mu.Unlock(ctx)
	return c.signAll(ctx, root)
}

// signAll stores the root itself, and the leaves by one more call, both in the
// same line of another package.
func (c *certs) signAll(ctx context.Context, root string) error {
	if err := store.Put(ctx, c.rdb, c.root(), root); err != nil { // want `^unfencedwrite \(unfenced\)`
		return err
	}
	return c.putLeaves(ctx)
}

func (c *certs) putLeaves(ctx context.Context) error {
	names, err := c.rdb.Get(ctx, "leaves").Result()
	if err != nil {
		return err
	}
	return store.Put(ctx, c.rdb, "leaves", names+",")
}
