// Package claims takes a row out of the state that it asks for, in one step at the
// store, before it goes on: a successor does not come as far.
package claims

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"gorm.io/gorm"
	"xorm.io/xorm"
)

var errUsed = errors.New("voucher is used")

type shop struct {
	mutex    *redsync.Mutex
	sql      *sql.DB
	db       *gorm.DB
	vouchers *mongo.Collection
	rdb      *redis.Client
}

type voucher struct {
	ID     int64
	Amount int64
	Status string
}

type account struct {
	ID      int64
	Balance int64
}

// spend claims through a mapper, in a function of its own.
func (s *shop) spend(ctx context.Context, id, user int64) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	if err := s.use(ctx, id); err != nil {
		return err
	}
	var a account
	if err := s.db.WithContext(ctx).First(&a, user).Error; err != nil {
		return err
	}
	return s.db.WithContext(ctx).Model(&account{}).Where("id = ?", user).Update("balance", a.Balance+10).Error
}

func (s *shop) use(ctx context.Context, id int64) error {
	res := s.db.WithContext(ctx).Model(&voucher{}).Where("id = ? AND status = ?", id, "unused").
		Updates(map[string]any{"status": "used"})
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return errUsed
	}
	return nil
}

// send claims by a statement.
func (s *shop) send(ctx context.Context, id int64, text string) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	res, err := s.sql.ExecContext(ctx, `UPDATE message SET status = 'sending' WHERE id = $1 AND status = 'new'`, id)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	return s.rdb.Set(ctx, "outbox", text, 0).Err()
}

// redeem claims a document.
func (s *shop) redeem(ctx context.Context, id, user string) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	res, err := s.vouchers.UpdateOne(ctx, bson.M{"_id": id, "status": "unused"}, bson.M{"$set": bson.M{"status": "used"}})
	if err != nil {
		return err
	}
	if res.ModifiedCount == 0 {
		return errUsed
	}
	return s.rdb.Set(ctx, "last:"+user, id, 0).Err()
}

// count notes only how often it could not go on.
func (s *shop) count(ctx context.Context, id int64, user string) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	var v voucher
	if err := s.db.WithContext(ctx).First(&v, id).Error; err != nil {
		return err
	}
	if v.Status != "unused" {
		s.rdb.Incr(ctx, "tries:"+user)
		return errUsed
	}
	return nil
}

// take claims a document and reads it in one step.
func (s *shop) take(ctx context.Context, id, user string) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	var v voucher
	err := s.vouchers.FindOneAndUpdate(ctx, bson.M{"_id": id, "status": "unused"}, bson.M{"$set": bson.M{"status": "used"}}).Decode(&v)
	if err != nil {
		return err
	}
	return s.rdb.Set(ctx, "last:"+user, id, 0).Err()
}

// stamp claims by a mapper that answers with the number of rows.
func (s *shop) stamp(ctx context.Context, engine *xorm.Engine, id int64, user string) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	n, err := engine.Where("id = ? AND status = ?", id, "unused").Update(&voucher{Status: "used"})
	if err != nil {
		return err
	}
	if n == 0 {
		return errUsed
	}
	return s.rdb.Set(ctx, "stamped:"+user, id, 0).Err()
}
