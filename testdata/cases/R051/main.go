// Case R051: renewal that re-creates an expired lock. If somebody else held and freed the
// lock in the gap, the holder gets it back without notice and goes on with old data.
// To flag: the option that makes Extend set the key anew, on a mutex whose holder keeps data
// read before the renewal; and the write based on that data.
package main

import (
	"context"
	"log"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

func run(ctx context.Context, rs *redsync.Redsync, rdb *redis.Client) error {
	mu := rs.NewMutex("stock", redsync.WithExpiry(5*time.Second), redsync.WithSetNXOnExtend()) // BUG other:silentreacquire // want `leaseloss \(silentreacquire\)`
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(context.WithoutCancel(ctx))
	n, err := rdb.Get(ctx, "stock:42").Int()
	if err != nil {
		return err
	}
	slowCheck()
	if ok, err := mu.ExtendContext(ctx); !ok || err != nil {
		return err
	}
	return rdb.Set(ctx, "stock:42", n-1, 0).Err() // want `ttlcheck \(extendcheck\)`
}

func slowCheck() { time.Sleep(time.Minute) }

func main() { log.Println(run(context.Background(), nil, nil)) }
