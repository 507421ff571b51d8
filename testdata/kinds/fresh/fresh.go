// Package fresh changes, under a lease, records that the same run has inserted
// just before: a successor inserts others, or is refused.
package fresh

import (
	"context"
	"fmt"

	"github.com/go-gorp/gorp/v3"
	"github.com/go-redsync/redsync/v4"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type nodeRun struct {
	ID      int64
	Node    string
	Address string
	Attempt int64
}

type order struct {
	ID    bson.ObjectID `bson:"_id"`
	Item  string
	State string
}

type starter struct {
	mutex  *redsync.Mutex
	db     *gorp.DbMap
	orders *mongo.Collection
}

func insertNodeRun(db gorp.SqlExecutor, r *nodeRun) error {
	if err := db.Insert(r); err != nil {
		return fmt.Errorf("insert: %w", err)
	}
	return nil
}

func setAddress(db gorp.SqlExecutor, id int64, address string) error {
	_, err := db.Exec(`UPDATE node_run SET address = $1 WHERE id = $2`, address, id)
	return err
}

// start tells the address of what it has inserted, which holds the new key.
func (s *starter) start(ctx context.Context, node string) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	r := &nodeRun{Node: node}
	if err := insertNodeRun(s.db, r); err != nil {
		return err
	}
	return setAddress(s.db, r.ID, fmt.Sprintf("/run/%d", r.ID))
}

// place completes the document that it has inserted.
func (s *starter) place(ctx context.Context, item string) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	o := &order{ID: bson.NewObjectID(), Item: item}
	if err := s.createOrder(ctx, o); err != nil {
		return err
	}
	return s.setState(ctx, o.ID, "placed")
}

func (s *starter) createOrder(ctx context.Context, o *order) error {
	_, err := s.orders.InsertOne(ctx, o) // want `^unfencedwrite \(unfenced\)`
	return err
}

func (s *starter) setState(ctx context.Context, id bson.ObjectID, state string) error {
	_, err := s.orders.UpdateOne(ctx, bson.M{"_id": id}, bson.M{"$set": bson.M{"state": state}})
	return err
}

// retry inserts the next attempt and closes this one.
func (s *starter) retry(ctx context.Context, r nodeRun) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	next := nodeRun{Node: r.Node, Attempt: r.Attempt + 1}
	if err := insertNodeRun(s.db, &next); err != nil {
		return err
	}
	r.Address = ""
	return updateNodeRun(s.db, &r)
}

func updateNodeRun(db gorp.SqlExecutor, r *nodeRun) error {
	_, err := db.Update(r)
	return err
}
