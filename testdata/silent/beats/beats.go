// Package beats takes locks from holders whose heartbeat is old, and is compared
// by the store too.
package beats

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type holder struct {
	Name string `bson:"name"`
	Node string `bson:"node"`
	Run  string `bson:"run"`
}

type lockRecord struct {
	Holder    holder `bson:",inline"`
	Heartbeat int64  `bson:"hb"`
}

type lock struct {
	rec  lockRecord
	coll *mongo.Collection
}

func newLock(db *mongo.Database, h holder) *lock {
	return &lock{rec: lockRecord{Holder: h}, coll: db.Collection("locks")}
}

func (l *lock) acquire(ctx context.Context) error {
	_, err := l.coll.InsertOne(ctx, l.rec)
	if !mongo.IsDuplicateKeyError(err) {
		return err
	}
	var peer lockRecord
	if err := l.coll.FindOne(ctx, bson.D{{Key: "name", Value: l.rec.Holder.Name}}).Decode(&peer); err != nil {
		return err
	}
	if peer.Heartbeat+30 >= time.Now().Unix() {
		return errors.New("taken")
	}
	_, err = l.coll.DeleteOne(ctx, peer)
	return err
}

func (l *lock) beat(ctx context.Context) error {
	_, err := l.coll.UpdateOne(ctx, l.rec.Holder, bson.D{{Key: "$set", Value: bson.D{{Key: "hb", Value: time.Now().Unix()}}}})
	return err
}

func (l *lock) release(ctx context.Context) error {
	_, err := l.coll.DeleteOne(ctx, l.rec.Holder)
	return err
}
