// Package dispatch has a client of its own, which creates only, and makes
// states with it.
package dispatch

import (
	"context"
	"time"

	"github.com/fencelint/fencelint/testdata/kinds/dispatch/state"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

type client struct{ rdb *redis.Client }

func (c *client) Put(ctx context.Context, data string) error {
	return c.rdb.SetNX(ctx, "own", data, 0).Err()
}

func own(ctx context.Context, rs *redsync.Redsync, rdb *redis.Client) error {
	s := state.New(&client{rdb: rdb}, "own")
	mu := rs.NewMutex("dispatch-own", redsync.WithExpiry(time.Minute))
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	return s.Persist(ctx)
}

func literal(ctx context.Context, rs *redsync.Redsync, rdb *redis.Client) error {
	s := &state.State{Client: &client{rdb: rdb}}
	mu := rs.NewMutex("dispatch-literal", redsync.WithExpiry(time.Minute))
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	return s.Persist(ctx)
}

// Which client it is does not show here.
func some(ctx context.Context, rs *redsync.Redsync, c state.Client) error {
	s := state.New(c, "any")
	mu := rs.NewMutex("dispatch-any", redsync.WithExpiry(time.Minute))
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	return s.Persist(ctx) // want `unfencedwrite`
}
