// Package premises calls, under a lock, functions that write for other
// arguments than those that it passes, and for those too.
package premises

import (
	"context"
	"time"

	"github.com/fencelint/fencelint/testdata/kinds/premises/rooms"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

type house struct {
	rs    *redsync.Redsync
	rdb   *redis.Client
	store rooms.Store
}

func (h *house) locked(ctx context.Context, f func() error) error {
	mu := h.rs.NewMutex("premises-mutex", redsync.WithExpiry(time.Minute))
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	return f()
}

func (h *house) add(ctx context.Context, r *rooms.Room) error {
	return h.locked(ctx, func() error { return h.store.Add(ctx, r) })
}

func (h *house) change(ctx context.Context, r *rooms.Room) error {
	return h.locked(ctx, func() error {
		return h.store.Change(ctx, r) // want `unfencedwrite`
	})
}

func (h *house) alive(ctx context.Context, r *rooms.Room) error {
	return h.locked(ctx, func() error { return h.store.Status(ctx, r, 90) })
}

func (h *house) ever(ctx context.Context, r *rooms.Room) error {
	return h.locked(ctx, func() error {
		return h.store.Status(ctx, r, 0) // want `unfencedwrite`
	})
}

func (h *house) restore(ctx context.Context, names []string) error {
	return h.locked(ctx, func() error { return rooms.Restore(ctx, names, nil) })
}

func (h *house) restoreAt(ctx context.Context, names []string, w *rooms.Work) error {
	return h.locked(ctx, func() error {
		return rooms.Restore(ctx, names, w) // want `unfencedwrite`
	})
}

func (h *house) fresh(ctx context.Context, r *rooms.Room) error {
	return h.locked(ctx, func() error { return rooms.Put(ctx, h.rdb, r, rooms.Options{}) })
}

func (h *house) plain(ctx context.Context, r *rooms.Room) error {
	return h.locked(ctx, func() error {
		return rooms.Put(ctx, h.rdb, r, rooms.Options{Kind: rooms.Plain}) // want `unfencedwrite`
	})
}

// What is set later may be set before the next round.
func (h *house) rounds(ctx context.Context, r *rooms.Room) error {
	return h.locked(ctx, func() error {
		var o rooms.Options
		for range 2 {
			if err := rooms.Fill(ctx, h.rdb, r, o); err != nil { // want `unfencedwrite`
				return err
			}
			o.Kind = rooms.Plain
		}
		return nil
	})
}

func (h *house) dry(ctx context.Context) error {
	return h.locked(ctx, func() error {
		return rooms.Each(ctx, true, func(ctx context.Context) error { return h.rdb.Set(ctx, "dry", "1", 0).Err() })
	})
}

func (h *house) wet(ctx context.Context) error {
	return h.locked(ctx, func() error {
		return rooms.Each(ctx, false, func(ctx context.Context) error {
			return h.rdb.Set(ctx, "wet", "1", 0).Err() // want `unfencedwrite`
		})
	})
}

func (h *house) byDefault(ctx context.Context, r *rooms.Room) error {
	return h.locked(ctx, func() error {
		return rooms.Default(ctx, h.rdb, r, 0) // want `unfencedwrite`
	})
}

// The caller has looked at the same parameter before.
func (h *house) move(ctx context.Context, r *rooms.Room, isNew bool) error {
	return h.locked(ctx, func() error {
		if isNew {
			return rooms.Move(ctx, h.rdb, r, isNew)
		}
		return rooms.Move(ctx, h.rdb, r, isNew) // want `unfencedwrite`
	})
}
