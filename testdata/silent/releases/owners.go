package releases

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// lockKey names the record of a mutex, and that of a window in which equal
// messages count once.
func lockKey(name string) string { return name + ":lock" }

var firstInWindow = redis.NewScript(`if redis.call('set', KEYS[1], '', 'px', ARGV[1], 'nx') then return 1 end return 0`)

// deduplicate opens a window, which nobody closes.
func deduplicate(ctx context.Context, r redis.Scripter, name string, window time.Duration) (bool, error) {
	n, err := firstInWindow.Run(ctx, r, []string{lockKey(name)}, window.Milliseconds()).Int()
	return n == 1, err
}

var giveBack = redis.NewScript(`if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('pexpire', KEYS[1], 1) end return 1`)

// giveBackLock compares what its caller made for itself.
func giveBackLock(ctx context.Context, r redis.Scripter, name, id string) error {
	return giveBack.Run(ctx, r, []string{lockKey(name)}, id).Err()
}

func mutexKey(name string) string { return name + ":mutex" }

// reserveMutex takes the mutex for nobody, until the time is over.
func reserveMutex(ctx context.Context, r *redis.Client, name string, ttl time.Duration) (bool, error) {
	return r.SetNX(ctx, mutexKey(name), "reserved", ttl).Result()
}

func takeMutex(ctx context.Context, r *redis.Client, name, id string, ttl time.Duration) (bool, error) {
	return r.SetNX(ctx, mutexKey(name), id, ttl).Result()
}

// giveMutex compares what takeMutex stored.
func giveMutex(ctx context.Context, r redis.Scripter, name, id string) error {
	return giveBack.Run(ctx, r, []string{mutexKey(name)}, id).Err()
}
