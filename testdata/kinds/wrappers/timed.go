package wrappers

import (
	"context"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// A clock runs work again and again under a lock, from timers of its own.
type clock struct {
	mutex *redsync.Mutex
	every time.Duration
}

func (c *clock) add(work func()) {
	time.AfterFunc(c.every, func() {
		if err := c.mutex.Lock(); err != nil {
			return
		}
		defer c.mutex.Unlock()
		work()
	})
}

// plain has no lock.
func (c *clock) plain(work func()) {
	time.AfterFunc(c.every, func() { work() })
}

type counter struct {
	clock *clock
	store *store
}

func (c *counter) start(ctx context.Context) {
	c.clock.add(func() {
		n, _ := c.store.rdb.Get(ctx, "counted").Int()
		c.store.rdb.Set(ctx, "counted", n+1, 0) // want `^unfencedwrite \(rmw\)`
	})
	c.clock.plain(func() {
		n, _ := c.store.rdb.Get(ctx, "plain").Int()
		c.store.rdb.Set(ctx, "plain", n+1, 0)
	})
}
