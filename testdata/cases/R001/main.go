// Case R001 (report R001): the lock object holds a per-acquisition token, yet Release
// deletes the key by its name alone. A holder whose TTL ran out deletes the next
// holder's lock, and a third worker comes in.
// To flag: the Del in Release; its key is the key that SetNX made a lock. The call is
// only reached through the Lock interface and a deferred call.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type Lock interface {
	Release(ctx context.Context) error
}

type redisLock struct {
	rdb        *redis.Client
	key, token string
}

func Acquire(ctx context.Context, rdb *redis.Client, name string, ttl time.Duration) (Lock, error) {
	l := &redisLock{rdb: rdb, key: "lock:" + name, token: uuid.NewString()}
	ok, err := rdb.SetNX(ctx, l.key, l.token, ttl).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("held elsewhere")
	}
	return l, nil
}

func (l *redisLock) Release(ctx context.Context) error {
	return l.rdb.Del(ctx, l.key).Err() // want `keyonlyrelease \(keyonly\)`
}

func main() {
	ctx := context.Background()
	l, err := Acquire(ctx, redis.NewClient(&redis.Options{}), "gc", 30*time.Minute)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = l.Release(ctx) }()
	log.Println("read-only report goes here")
}
