// Package notices looks like silent/notices, and is not: the message is an order, and
// what is set is a state of several.
package notices

import (
	"context"

	"github.com/go-redsync/redsync/v4"
	"github.com/segmentio/kafka-go"
	"gorm.io/gorm"
)

type office struct {
	mutex *redsync.Mutex
	queue *kafka.Writer
	db    *gorm.DB
}

type parcel struct {
	ID    int64
	Place string
}

// Order asks for a car.
func (o *office) Order(ctx context.Context, text string) error {
	return o.queue.WriteMessages(ctx, kafka.Message{Value: []byte(text)}) // want `^unfencedwrite \(external\)`
}

func (o *office) accept(ctx context.Context, text string) error {
	if err := o.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer o.mutex.UnlockContext(context.WithoutCancel(ctx))
	return o.Order(ctx, text)
}

func (o *office) move(ctx context.Context, id int64) error {
	if err := o.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer o.mutex.UnlockContext(context.WithoutCancel(ctx))
	return o.db.WithContext(ctx).Model(&parcel{}).Where("id = ?", id).Update("place", "cellar").Error // want `^unfencedwrite \(unfenced\)`
}
