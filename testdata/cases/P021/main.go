// Case P021: a slot whose holder has not beaten for 45 seconds counts as free. The document is read,
// judged here, and overwritten by id. Two workers judge the same old document; the second one
// overwrites the first one's fresh claim and both scrape the site.
// To flag: the ReplaceOne that takes over; its filter names neither the old holder nor its beat.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type slot struct {
	ID     string    `bson:"_id"`
	Holder string    `bson:"holder"`
	Beat   time.Time `bson:"beat"`
}

func (s slot) dead() bool { return time.Since(s.Beat) > 45*time.Second }

type Slots struct{ coll *mongo.Collection }

func (s *Slots) Claim(ctx context.Context, site, me string) (bool, error) {
	var cur slot
	err := s.coll.FindOne(ctx, bson.D{{Key: "_id", Value: site}}).Decode(&cur)
	if errors.Is(err, mongo.ErrNoDocuments) {
		_, err = s.coll.InsertOne(ctx, slot{site, me, time.Now()})
		return err == nil, err
	}
	if err != nil || !cur.dead() {
		return false, err
	}
	_, err = s.coll.ReplaceOne(ctx, bson.D{{Key: "_id", Value: site}}, slot{site, me, time.Now()}) // want `ttlcheck \(takeover\)`
	return err == nil, err
}

func main() {
	cli, err := mongo.Connect(options.Client().ApplyURI("mongodb://localhost"))
	if err != nil {
		log.Fatal(err)
	}
	s := &Slots{coll: cli.Database("crawl").Collection("slot_leases")}
	log.Println(s.Claim(context.Background(), "example.org", "w-5d2c"))
}
