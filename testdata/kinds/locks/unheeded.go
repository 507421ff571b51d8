package locks

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type board struct {
	locks *redislock.Client
	rdb   *redis.Client
}

// logged goes on after a refusal.
func (b *board) logged(ctx context.Context, score string) error {
	lock, err := b.locks.Obtain(ctx, "board", time.Minute, nil)
	if err != nil {
		log.Print(err)
	} else {
		defer lock.Release(context.WithoutCancel(ctx))
	}
	return b.rdb.Set(ctx, "score", score, 0).Err() // want `^unfencedwrite \(unguarded\)`
}

// retried asks until it is granted.
func (b *board) retried(ctx context.Context, score string) error {
	var lock *redislock.Lock
	for {
		var err error
		if lock, err = b.locks.Obtain(ctx, "board", time.Minute, nil); err == nil {
			break
		}
		log.Print(err)
	}
	defer lock.Release(context.WithoutCancel(ctx))
	return b.rdb.Set(ctx, "score", score, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// skipped leaves the work to the holder and goes on with something else.
func (b *board) skipped(ctx context.Context, score string) error {
	lock, err := b.locks.Obtain(ctx, "board", time.Minute, nil)
	switch {
	case errors.Is(err, redislock.ErrNotObtained):
		log.Print("busy")
	case err != nil:
		return err
	default:
		defer lock.Release(context.WithoutCancel(ctx))
		if err := b.rdb.Set(ctx, "score", score, 0).Err(); err != nil { // want `^unfencedwrite \(unfenced\)`
			return err
		}
	}
	log.Print("done")
	return nil
}

// flagged asks until it is granted, and says so to the loop.
func (b *board) flagged(ctx context.Context, score string) error {
	var (
		lock *redislock.Lock
		ours bool
	)
	for !ours {
		var err error
		if lock, err = b.locks.Obtain(ctx, "board", time.Minute, nil); errors.Is(err, redislock.ErrNotObtained) {
			time.Sleep(time.Second)
			continue
		} else if err != nil {
			return err
		}
		ours = true
	}
	defer lock.Release(context.WithoutCancel(ctx))
	return b.rdb.Set(ctx, "score", score, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// thrown makes a panic of the refusal.
func (b *board) thrown(ctx context.Context, score string) error {
	lock, err := b.locks.Obtain(ctx, "board", time.Minute, nil)
	if err != nil {
		throwError(err)
	}
	defer lock.Release(context.WithoutCancel(ctx))
	return b.rdb.Set(ctx, "score", score, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// died ends the process with the refusal.
func (b *board) died(ctx context.Context, score string) error {
	lock, err := b.locks.Obtain(ctx, "board", time.Minute, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer lock.Release(context.WithoutCancel(ctx))
	return b.rdb.Set(ctx, "score", score, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// noted hands the refusal to something that comes back.
func (b *board) noted(ctx context.Context, score string) error {
	lock, err := b.locks.Obtain(ctx, "board", time.Minute, nil)
	if err != nil {
		noteError(err)
	} else {
		defer lock.Release(context.WithoutCancel(ctx))
	}
	return b.rdb.Set(ctx, "score", score, 0).Err() // want `^unfencedwrite \(unguarded\)`
}

func throwError(err error) {
	if err != nil {
		panic(err)
	}
}

func noteError(err error) { log.Print(err) }
