// Case P013: SET NX answers nil when the lock is taken. The code means to tolerate a missing key,
// lets nil pass, and so goes on without the lock: two tills read the same number.
// To flag: the write of the counter: the refusal of the acquire is let through.
package main

import (
	"context"
	"log"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/rueidis"
)

var unlock = rueidis.NewLuaScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func nextReceipt(ctx context.Context, c rueidis.Client, till string) (int64, error) {
	lock, me := "lock:receipt:"+till, uuid.NewString()
	err := c.Do(ctx, c.B().Set().Key(lock).Value(me).Nx().Px(3*time.Second).Build()).Error()
	if err != nil && !rueidis.IsRedisNil(err) {
		return 0, err
	}
	defer unlock.Exec(context.WithoutCancel(ctx), c, []string{lock}, []string{me})
	n, err := c.Do(ctx, c.B().Get().Key("receipt:"+till).Build()).AsInt64()
	if err != nil && !rueidis.IsRedisNil(err) {
		return 0, err
	}
	set := c.B().Set().Key("receipt:" + till).Value(strconv.FormatInt(n+1, 10)).Build()
	return n + 1, c.Do(ctx, set).Error() // want `unfencedwrite \(unguarded\)`
}

func main() {
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{"127.0.0.1:6379"}})
	if err != nil {
		log.Fatal(err)
	}
	log.Println(nextReceipt(context.Background(), c, "t2"))
}
