package wrappers

import (
	"context"
	"time"
)

// create makes a record once: it looks, and where there is none looks again under
// the lock.
func (s *store) create(ctx context.Context, id string, look func(context.Context) (bool, error)) error {
	found, err := look(ctx)
	if err != nil {
		return err
	}
	if !found {
		lock, err := s.locks.Obtain(ctx, "create:"+id, time.Minute, nil)
		if err != nil {
			return err
		}
		defer lock.Release(ctx)
		if found, err = look(ctx); err != nil || found {
			return err
		}
		if err := s.rdb.Set(ctx, "record:"+id, time.Now().String(), 0).Err(); err != nil { // want `^unfencedwrite`
			return err
		}
	}
	return s.rdb.Set(ctx, "seen:"+id, time.Now().String(), 0).Err() // whether or not the lock was asked for
}

func (s *store) visit(ctx context.Context, id string) error {
	return s.create(ctx, id, func(ctx context.Context) (bool, error) {
		if err := s.rdb.Set(ctx, "visited:"+id, time.Now().String(), 0).Err(); err != nil {
			return false, err
		}
		return s.rdb.Get(ctx, "record:"+id).Val() != "", nil
	})
}

// keep asks for the lock wherever one is set up: it is there for the change.
func (s *store) keep(ctx context.Context, id string) error {
	if s.locks != nil {
		lock, err := s.locks.Obtain(ctx, "kept:"+id, time.Minute, nil)
		if err != nil {
			return err
		}
		defer lock.Release(ctx)
	}
	return s.rdb.Set(ctx, "record:"+id, time.Now().String(), 0).Err() // want `^unfencedwrite`
}

// A guarded store has a switch for its locks, which is no question about the change.
type guarded struct {
	store
	alone bool
}

func (g *guarded) keep(ctx context.Context, id string) error {
	if !g.alone {
		lock, err := g.locks.Obtain(ctx, "guarded:"+id, time.Minute, nil)
		if err != nil {
			return err
		}
		defer lock.Release(ctx)
	}
	return g.rdb.Set(ctx, "record:"+id, time.Now().String(), 0).Err() // want `^unfencedwrite`
}
