// Case P029: the order of the outbox is kept by a Redis lock, but the records are sent by a goroutine
// that nobody waits for: the method returns, frees the lock, and the sending goes on beside
// that of the next holder.
// To flag: the ProduceSync in the goroutine that escapes the region.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kgo"
)

type Outbox struct {
	rdb *redis.Client
	cl  *kgo.Client
}

var unlockIfMine = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (o *Outbox) claim(ctx context.Context, name string) (func(), error) {
	key, id := "outbox-lock:"+name, uuid.NewString()
	ok, err := o.rdb.SetNX(ctx, key, id, 20*time.Second).Result()
	if err != nil || !ok {
		return nil, errors.Join(err, errors.New("outbox is being drained"))
	}
	return func() { unlockIfMine.Run(context.WithoutCancel(ctx), o.rdb, []string{key}, id) }, nil
}

func (o *Outbox) Drain(ctx context.Context, name string) error {
	unlock, err := o.claim(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	rows, err := o.rdb.LRange(ctx, "outbox:"+name, 0, 99).Result()
	if err != nil {
		return err
	}
	go o.send(context.WithoutCancel(ctx), name, rows)
	return nil
}

func (o *Outbox) send(ctx context.Context, name string, rows []string) {
	for _, row := range rows {
		rec := &kgo.Record{Topic: name, Value: []byte(row)}
		if err := o.cl.ProduceSync(ctx, rec).FirstErr(); err != nil { // want `unfencedwrite \(escaped\)`
			log.Println("send:", err)
			return
		}
	}
}

func main() {
	cl, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:9092"))
	if err != nil {
		log.Fatal(err)
	}
	o := &Outbox{redis.NewClient(&redis.Options{}), cl}
	log.Println(o.Drain(context.Background(), "orders"))
}
