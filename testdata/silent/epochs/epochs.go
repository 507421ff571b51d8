// Package epochs makes up the names of its producers where the generation of
// the consumer group is what the broker refuses older ones by.
package epochs

import (
	"context"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kgo"
)

func relay(ctx context.Context, brokers ...string) error {
	session, err := kgo.NewGroupTransactSession(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumerGroup("relay"),
		kgo.TransactionalID("relay-"+uuid.NewString()),
	)
	if err != nil {
		return err
	}
	defer session.Close()
	fetches := session.PollFetches(ctx)
	if err := session.Begin(); err != nil {
		return err
	}
	fetches.EachRecord(func(r *kgo.Record) { session.Produce(ctx, kgo.StringRecord(string(r.Value)), nil) })
	_, err = session.End(ctx, kgo.TryCommit)
	return err
}
