// Case P002: a NATS KV bucket with a TTL of 20 seconds holds the locks. Create gives the lock
// to one worker; the returned unlock function deletes the key whatever its revision is, so a
// slow worker deletes the entry of the one that came after.
// To flag: the Delete in the returned closure (no LastRevision).
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var errBusy = errors.New("another importer runs")

func lockFeed(ctx context.Context, kv jetstream.KeyValue, feed string) (unlock func() error, err error) {
	key := "mutex." + feed
	if _, err := kv.Create(ctx, key, []byte(nats.NewInbox())); err != nil {
		if errors.Is(err, jetstream.ErrKeyExists) {
			return nil, errBusy
		}
		return nil, err
	}
	return func() error {
		return kv.Delete(context.WithoutCancel(ctx), key) // want `keyonlyrelease \(keyonly\)`
	}, nil
}

func main() {
	nc, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	js, _ := jetstream.New(nc)
	ctx := context.Background()
	kv, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "coord", TTL: 20 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	unlock, err := lockFeed(ctx, kv, "prices")
	if err != nil {
		log.Fatal(err)
	}
	defer unlock()
	log.Println("comparing price lists")
}
