// Package claims looks like silent/claims, and is not: nobody learns whether the row
// was still in its state, the answer stops nothing, the version that is compared
// moves on with each holder, or what is counted is what was done.
package claims

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"
)

var errUsed = errors.New("voucher is used")

type shop struct {
	mutex *redsync.Mutex
	sql   *sql.DB
	db    *gorm.DB
	rdb   *redis.Client
}

type voucher struct {
	ID     int64
	Status string
}

type account struct {
	ID      int64
	Balance int64
}

// spend goes on also if the voucher was used before.
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
	return s.db.WithContext(ctx).Model(&account{}).Where("id = ?", user).Update("balance", a.Balance+10).Error // want `^unfencedwrite \(rmw\)`
}

func (s *shop) use(ctx context.Context, id int64) error {
	return s.db.WithContext(ctx).Model(&voucher{}).Where("id = ? AND status = ?", id, "unused").
		Updates(map[string]any{"status": "used"}).Error
}

// send only logs that there was nothing to send.
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
		log.Print(err)
	}
	if n == 0 {
		log.Print("nothing to send")
	}
	return s.rdb.Set(ctx, "outbox", text, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// post compares a version: the successor reads the new one, and comes as far.
func (s *shop) post(ctx context.Context, id, version int64, text string) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	res, err := s.sql.ExecContext(ctx, `UPDATE message SET version = version + 1 WHERE id = $1 AND version = $2`, id, version)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errUsed
	}
	return s.rdb.Set(ctx, "posted", text, 0).Err() // want `^unfencedwrite \(partial\)`
}

// count counts what it has done.
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
		return errUsed
	}
	return s.rdb.Incr(ctx, "done:"+user).Err() // want `^unfencedwrite \(unfenced\)`
}
