// Package untold takes leases in functions whose callers do not learn whether
// they got one.
package untold

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type importer struct {
	rdb   *redis.Client
	locks *redislock.Client
	held  *redislock.Lock
}

// warn prints a text at most once in a minute. Its caller goes on in the same
// way, be it printed or not.
func (im *importer) warn(ctx context.Context, text string) {
	ok, err := im.rdb.SetNX(ctx, "warn-lock", "1", time.Minute).Result()
	if err == nil && ok {
		log.Print(text)
	}
}

// Import stores rows and warns of those that it could not store.
func (im *importer) Import(ctx context.Context, rows map[string]string) {
	for name, text := range rows {
		if err := im.rdb.Set(ctx, name, text, 0).Err(); err != nil {
			im.warn(ctx, err.Error())
		}
	}
}

// take leaves all work to its caller. That another holds the lock is only logged,
// which is a mistake, and no sign that the lock is not meant for what follows.
func (im *importer) take(ctx context.Context) {
	lock, err := im.locks.Obtain(ctx, "names", time.Minute, nil)
	if err != nil {
		log.Print(err)
		return
	}
	im.held = lock
}

// Rename writes under the lock, if it was taken.
func (im *importer) Rename(ctx context.Context, name string) error {
	im.take(ctx)
	defer im.held.Release(ctx)
	return im.rdb.Set(ctx, "name", name, 0).Err() // want `^unfencedwrite`
}

// wait takes the lock sooner or later: whoever comes back from it has it.
func (im *importer) wait(ctx context.Context) {
	for {
		lock, err := im.locks.Obtain(ctx, "names", time.Minute, nil)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		im.held = lock
		log.Print("taken")
		return
	}
}

// Clear writes under the lock.
func (im *importer) Clear(ctx context.Context) error {
	im.wait(ctx)
	defer im.held.Release(ctx)
	return im.rdb.Set(ctx, "name", "none", 0).Err() // want `^unfencedwrite`
}
