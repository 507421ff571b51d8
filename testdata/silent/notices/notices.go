// Package notices tells of what happened through a queue that may hand a message on
// twice, and ticks off what was done.
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
	ID       int64
	Uploaded bool
}

// Notify says that a parcel is there.
func (o *office) Notify(ctx context.Context, text string) error {
	return o.queue.WriteMessages(ctx, kafka.Message{Value: []byte(text)})
}

func (o *office) accept(ctx context.Context, text string) error {
	if err := o.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer o.mutex.UnlockContext(context.WithoutCancel(ctx))
	return o.Notify(ctx, text)
}

func (o *office) tick(ctx context.Context, id int64) error {
	if err := o.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer o.mutex.UnlockContext(context.WithoutCancel(ctx))
	return o.db.WithContext(ctx).Model(&parcel{}).Where("id = ?", id).Update("uploaded", true).Error
}
