// Package said has locks of which one is seen to be taken, and others that only
// names call so.
package said

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// takeLock and freeLock are functions of their own, and each is told the whole key.
func takeLock(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) bool {
	ok, err := rdb.SetNX(ctx, key, true, ttl).Result()
	return err == nil && ok
}

func freeLock(ctx context.Context, rdb *redis.Client, key string) {
	rdb.Del(ctx, key) // want `keyonlyrelease \(keyonly\)`
}

// Run works under the lock of a name.
func Run(ctx context.Context, rdb *redis.Client, name string, work func(context.Context)) {
	if !takeLock(ctx, rdb, "job-lock:"+name, time.Minute) {
		return
	}
	defer freeLock(ctx, rdb, "job-lock:"+name)
	work(ctx)
}

// bans keeps who may not log in. Its records are no leases: nobody holds them.
type bans struct{ rdb *redis.Client }

func (b *bans) UpsertLock(ctx context.Context, account string) error {
	return b.rdb.Set(ctx, "account-lock:"+account, "banned", 0).Err()
}

func (b *bans) ReleaseLock(ctx context.Context, account string) error {
	return b.rdb.Del(ctx, "account-lock:"+account).Err()
}

// FlushAll works under a lock that it takes itself, whatever its name says of all.
func FlushAll(ctx context.Context, rdb *redis.Client, flush func(context.Context)) error {
	ok, err := rdb.SetNX(ctx, "flush-lock", "1", time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer rdb.Del(ctx, "flush-lock") // want `keyonlyrelease \(keyonly\)`
	flush(ctx)
	return nil
}

// ResetLock frees the lock of whoever holds it.
func ResetLock(ctx context.Context, rdb *redis.Client) error {
	return rdb.Del(ctx, "flush-lock").Err()
}
