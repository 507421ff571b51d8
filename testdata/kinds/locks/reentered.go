package locks

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
)

var (
	errAlreadyOwn = errors.New("the lock is ours")
	errNotOwned   = errors.New("the lock is not ours")
)

// A keeper is asked again by functions that run under its lock.
type keeper struct {
	board
	held map[string]*redislock.Lock
}

func (k *keeper) take(ctx context.Context, name string) (*redislock.Lock, error) {
	if k.held[name] != nil {
		return nil, errAlreadyOwn
	}
	lock, err := k.locks.Obtain(ctx, name, time.Minute, nil)
	if err != nil {
		return nil, errors.Join(errNotOwned, err)
	}
	return lock, nil
}

// ours goes on under the lock that a caller has taken, and is no worse for that.
func (k *keeper) ours(ctx context.Context, score string) error {
	lock, err := k.take(ctx, "ours")
	switch {
	case err == nil:
		defer lock.Release(context.WithoutCancel(ctx))
	case errors.Is(err, errAlreadyOwn):
	default:
		return err
	}
	return k.rdb.Set(ctx, "score:ours", score, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// theirs goes on though the lock is another's.
func (k *keeper) theirs(ctx context.Context, score string) error {
	lock, err := k.take(ctx, "theirs")
	switch {
	case err == nil:
		defer lock.Release(context.WithoutCancel(ctx))
	case errors.Is(err, errNotOwned):
		log.Print(err)
	default:
		return err
	}
	return k.rdb.Set(ctx, "score:theirs", score, 0).Err() // want `^unfencedwrite \(unguarded\)`
}

// again asks for the same by comparing.
func (k *keeper) again(ctx context.Context, score string) error {
	lock, err := k.take(ctx, "again")
	if err == nil {
		defer lock.Release(context.WithoutCancel(ctx))
	} else if err == errAlreadyOwn {
		log.Print("still ours")
	} else {
		return err
	}
	return k.rdb.Set(ctx, "score:again", score, 0).Err() // want `^unfencedwrite \(unfenced\)`
}
