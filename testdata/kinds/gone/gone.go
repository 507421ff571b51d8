// Package gone acts where a lock is missing, for a holder that is judged dead.
package gone

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type board struct{ rdb *redis.Client }

// held tells whether anybody holds the lock.
func (b *board) held(ctx context.Context, name string) (bool, error) {
	n, err := b.rdb.Exists(ctx, "lock:"+name).Result()
	if err != nil {
		return false, err
	}
	return n > 0, nil
}

// sweep closes what the holder left open.
func (b *board) sweep(ctx context.Context, name string) error {
	held, err := b.held(ctx, name)
	if err != nil {
		return err
	}
	if !held {
		return b.rdb.Set(ctx, "state:"+name, "aborted", 0).Err() // want `^ttlcheck \(takeover\)`
	}
	return nil
}

// dead removes no lock: that a second sweeper removes it again does no harm.
func (b *board) dead(ctx context.Context, name string) error {
	held, err := b.held(ctx, name)
	if err != nil {
		return err
	}
	if !held {
		return b.rdb.Del(ctx, "state:"+name).Err()
	}
	return nil
}

// mine tells whether this process holds the lock.
func (b *board) mine(ctx context.Context, name, me string) (bool, error) {
	owner, err := b.rdb.Get(ctx, "lock:"+name).Result()
	if err != nil {
		return false, err
	}
	return owner == me, nil
}

func (b *board) work(ctx context.Context, name, me string) error {
	mine, err := b.mine(ctx, name, me)
	if err != nil {
		return err
	}
	if !mine { // that the lock could be read does not make it ours
		return b.rdb.Set(ctx, "asked:"+name, me, time.Minute).Err()
	}
	return b.rdb.Set(ctx, "state:"+name, "done", 0).Err() // want `^ttlcheck \(ownercheck\)`
}
