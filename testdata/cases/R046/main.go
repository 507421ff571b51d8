// Case R046: the release order is wrong and the renewal is blind. The key is freed first and
// the renewal goroutine stopped after it; in between a tick may run, and as EXPIRE asks for
// no owner it prolongs the lock of the next holder.
// To flag: the Expire by key alone, and the release that comes before the stop of the renewal
// (here a method value in a sync.Once).
package main

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var cad = redis.NewScript(`if redis.call("GET",KEYS[1])==ARGV[1] then return redis.call("DEL",KEYS[1]) end return 0`)

type base struct {
	rdb      *redis.Client
	key, val string
}

func (b *base) free() { cad.Run(context.Background(), b.rdb, []string{b.key}, b.val) }

type Lock struct {
	base
	stop context.CancelFunc
	once sync.Once
}

func New(rdb *redis.Client, key string, ttl time.Duration) *Lock {
	ctx, stop := context.WithCancel(context.Background())
	l := &Lock{base: base{rdb, key, uuid.NewString()}, stop: stop}
	if !rdb.SetNX(ctx, key, l.val, ttl).Val() {
		stop()
		return nil
	}
	go func() {
		for ctx.Err() == nil {
			time.Sleep(ttl / 3)
			rdb.Expire(ctx, key, ttl) // want `keyonlyrelease \(keyonly\)` // BUG other:blindrenew
		}
	}()
	return l
}

func (l *Lock) Close() {
	l.once.Do(l.free) // BUG other:releasebeforestop // want `releaseorder \(releasebeforestop\)`
	l.stop()
}

func main() {
	if l := New(redis.NewClient(&redis.Options{}), "lock:long", 20*time.Second); l != nil {
		defer l.Close()
	}
}
