package wrappers

import (
	"context"

	"github.com/fencelint/fencelint/testdata/kinds/locks"
	"github.com/go-redsync/redsync/v4"
)

// txn takes one step after the other, and goes back when one fails.
func txn(ctx context.Context, step, next, back func(context.Context) error) (err error) {
	defer func() {
		if err != nil {
			_ = back(ctx)
		}
	}()
	if err = step(ctx); err != nil {
		return err
	}
	return next(ctx)
}

// The step is told, not the way back from it.
func shrink(ctx context.Context, rs *redsync.Redsync, s *locks.Store) error {
	mu := rs.NewMutex("usage-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	return txn(ctx,
		func(ctx context.Context) error {
			return s.Use(ctx, "disk", 1) // want `unfencedwrite \(unfenced\)`
		},
		func(context.Context) error { return nil },
		func(ctx context.Context) error {
			return s.Use(ctx, "disk", 2)
		})
}
