// Package repo is the SQL side of case P007.
package repo

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type SchedulerLock struct {
	Job         string `gorm:"primaryKey"`
	Owner       string
	LockedUntil time.Time
}

type Locks struct{ DB *gorm.DB }

func (r *Locks) Obtain(ctx context.Context, job, owner string, d time.Duration) (bool, error) {
	row := SchedulerLock{Job: job, Owner: owner, LockedUntil: time.Now().Add(d)}
	res := r.DB.WithContext(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "job"}},
		Where:     clause.Where{Exprs: []clause.Expression{gorm.Expr("scheduler_locks.locked_until < now()")}},
		DoUpdates: clause.AssignmentColumns([]string{"owner", "locked_until"}),
	}).Create(&row)
	return res.RowsAffected == 1, res.Error
}

func (r *Locks) Free(ctx context.Context, job, owner string) error {
	q := r.DB.WithContext(ctx).Where("job = ?", job)
	return q.Delete(&SchedulerLock{}).Error // want `keyonlyrelease \(keyonly\)`
}
