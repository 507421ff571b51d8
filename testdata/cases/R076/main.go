// Case R076: Kafka fences an old producer by its transactional id, but the id here is random
// at every start, so a replaced task and its zombie are two unrelated producers and both commit.
// To flag: the random value given as the transactional id.
package main

import (
	"context"
	"log"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kgo"
)

func newWriter(brokers ...string) (*kgo.Client, error) {
	id := "commit-" + uuid.NewString()
	return kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.TransactionalID(id), // want `unfencedwrite \(unordered\)`
	)
}

func main() {
	cl, err := newWriter("localhost:9092")
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		log.Fatal(err)
	}
	cl.Produce(context.Background(), &kgo.Record{Topic: "events", Value: []byte("x")}, nil)
	log.Println(cl.EndTransaction(context.Background(), kgo.TryCommit))
}
