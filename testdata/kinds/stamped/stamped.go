// Package stamped names records after the time.
package stamped

import (
	"context"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Note stores one record that nobody else names, and one that others of the same
// day do.
func Note(ctx context.Context, mutex *redsync.Mutex, rdb *redis.Client, text string) error {
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	if err := rdb.Set(ctx, fmt.Sprintf("note:%d", time.Now().UnixNano()), text, 0).Err(); err != nil {
		return err
	}
	if err := rdb.Set(ctx, "note:"+time.Now().Format(time.RFC3339Nano), text, 0).Err(); err != nil {
		return err
	}
	return rdb.Set(ctx, fmt.Sprintf("note:%d", time.Now().YearDay()), text, 0).Err() // want `^unfencedwrite \(unfenced\)`
}
