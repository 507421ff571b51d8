package wrappers

import (
	"context"

	"github.com/go-redsync/redsync/v4"
	"gorm.io/gorm"
)

type disk struct {
	ID   int64
	Size int64
	Name string
}

func locked(ctx context.Context, rs *redsync.Redsync, f func(context.Context) error) error {
	mu := rs.NewMutex("disk-mutex")
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(context.WithoutCancel(ctx))
	return f(ctx)
}

// What is stored was read before the lease was taken.
func grow(ctx context.Context, rs *redsync.Redsync, db *gorm.DB, id int64) error {
	var d disk
	if err := db.First(&d, id).Error; err != nil {
		return err
	}
	old := d
	return locked(ctx, rs, func(ctx context.Context) error {
		return resize(ctx, db, id, 2*d.Size, old)
	})
}

// resize goes back to what it was given, which loses more than the step itself.
func resize(ctx context.Context, db *gorm.DB, id, size int64, old disk) error {
	return txn(ctx,
		func(ctx context.Context) error {
			return db.Model(&disk{}).Where("id = ?", id).Update("size", size).Error
		},
		func(context.Context) error { return nil },
		func(ctx context.Context) error {
			return db.Save(&old).Error // want `unfencedwrite \(rmw\)`
		})
}

// Of what was read before, only the name is used.
func label(ctx context.Context, rs *redsync.Redsync, db *gorm.DB, id int64) error {
	var d disk
	if err := db.First(&d, id).Error; err != nil {
		return err
	}
	return locked(ctx, rs, func(ctx context.Context) error {
		return db.Model(&disk{}).Where("id = ?", d.ID).Update("name", "x").Error // want `unfencedwrite \(unfenced\)`
	})
}
