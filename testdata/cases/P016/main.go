// Case P016: the worker asks how long the lock will live and goes on if it is more than two
// seconds. The answer is old when it arrives: a pause before the update, and the next holder
// has already booked the same seats.
// To flag: the Mongo update that hangs on the remaining time (margin is a method of an embedded
// struct).
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type window struct{ lk *redislock.Lock }

func (w window) enough(ctx context.Context) bool {
	left, err := w.lk.TTL(ctx)
	return err == nil && left > 2*time.Second
}

type booking struct {
	window
	shows *mongo.Collection
}

func (b *booking) reserve(ctx context.Context, show string, seats int) error {
	var doc struct {
		Free int `bson:"free"`
	}
	if err := b.shows.FindOne(ctx, bson.D{{Key: "_id", Value: show}}).Decode(&doc); err != nil {
		return err
	}
	if doc.Free < seats || !b.enough(ctx) {
		return errors.New("sold out or out of time")
	}
	_, err := b.shows.UpdateByID(ctx, show, bson.D{{Key: "$set", Value: bson.D{{Key: "free", Value: doc.Free - seats}}}}) // want `ttlcheck \(ttlremaining\)`
	return err
}

func run(ctx context.Context, rdb *redis.Client, shows *mongo.Collection) error {
	lk, err := redislock.New(rdb).Obtain(ctx, "show:hamlet", 10*time.Second, nil)
	if err != nil {
		return err
	}
	defer lk.Release(context.WithoutCancel(ctx))
	b := &booking{window{lk}, shows}
	return b.reserve(ctx, "hamlet", 2)
}

func main() { log.Println(run(context.Background(), redis.NewClient(&redis.Options{}), nil)) }
