// Case P004: memcached Add with an expiry is the lock, the callback runs under it. The clean-up
// deletes the item by key, so after 30 slow seconds it deletes the item of the next caller.
// To flag: the Delete in WithLock; its key comes from the same helper as the key of Add.
package main

import (
	"context"
	"errors"
	"log"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/google/uuid"
)

type Exclusive struct{ mc *memcache.Client }

func lockKey(topic string) string { return "lk/" + topic }

func (e *Exclusive) WithLock(ctx context.Context, topic string, fn func(context.Context) error) error {
	err := e.mc.Add(&memcache.Item{Key: lockKey(topic), Value: []byte(uuid.NewString()), Expiration: 30})
	if errors.Is(err, memcache.ErrNotStored) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		if err := e.mc.Delete(lockKey(topic)); err != nil { // want `keyonlyrelease \(keyonly\)`
			log.Println("unlock:", err)
		}
	}()
	return fn(ctx)
}

func main() {
	e := &Exclusive{mc: memcache.New("127.0.0.1:11211")}
	err := e.WithLock(context.Background(), "digest", func(context.Context) error {
		log.Println("the digest would have 12 entries")
		return nil
	})
	log.Println(err)
}
