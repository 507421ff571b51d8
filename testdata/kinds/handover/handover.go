// Package handover starts goroutines under a lease: some are given the lease,
// and give it up when they are done, others outlive it.
package handover

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type chats struct {
	locks *redislock.Client
	rdb   *redis.Client
}

// start hands the lease to the goroutine, which is done before it ends.
func (c *chats) start(ctx context.Context, text string) error {
	lock, err := c.locks.Obtain(ctx, "chat", time.Minute, nil)
	if err != nil {
		return err
	}
	if err := c.rdb.Ping(ctx).Err(); err != nil {
		_ = lock.Release(ctx)
		return err
	}
	go c.answer(context.WithoutCancel(ctx), lock, text)
	return nil
}

func (c *chats) answer(ctx context.Context, lock *redislock.Lock, text string) {
	defer lock.Release(ctx)
	c.rdb.Set(ctx, "chat-answer", text, 0) // want `^unfencedwrite \(unfenced\)`
}

// literal hands the lease to a func literal.
func (c *chats) literal(ctx context.Context, text string) error {
	lock, err := c.locks.Obtain(ctx, "chat", time.Minute, nil)
	if err != nil {
		return err
	}
	go func() {
		c.rdb.Set(ctx, "chat-question", text, 0) // want `^unfencedwrite \(unfenced\)`
		_ = lock.Release(ctx)
	}()
	return nil
}

// beside keeps the lease, which ends before the goroutine does.
func (c *chats) beside(ctx context.Context, text string) error {
	lock, err := c.locks.Obtain(ctx, "chat", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	go func() {
		c.rdb.Set(ctx, "chat-title", text, 0) // want `^unfencedwrite \(escaped\)`
	}()
	return nil
}

// early hands the lease to a goroutine that gives it up before it writes.
func (c *chats) early(ctx context.Context, text string) error {
	lock, err := c.locks.Obtain(ctx, "chat", time.Minute, nil)
	if err != nil {
		return err
	}
	go func() {
		_ = lock.Release(ctx)
		c.rdb.Set(ctx, "chat-footer", text, 0) // want `^unfencedwrite \(escaped\)`
	}()
	return nil
}

// clear outlives the lease in one statement, which is told by what loses most.
func (c *chats) clear(ctx context.Context, db *sql.DB, text string) error {
	lock, err := c.locks.Obtain(ctx, "chat", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	go func() {
		c.rdb.Del(ctx, "chat-draft")
		db.ExecContext(ctx, `UPDATE chats SET title = $1 WHERE id = 1`, text) // want `^unfencedwrite \(escaped\)`
	}()
	return nil
}

// wipe removes what the next holder may have stored.
func (c *chats) wipe(ctx context.Context) error {
	lock, err := c.locks.Obtain(ctx, "chat", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	go func() {
		c.rdb.Del(ctx, "chat-draft") // want `^unfencedwrite \(escaped\)`
	}()
	return nil
}
