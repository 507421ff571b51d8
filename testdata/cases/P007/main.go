// Case P007: a row per job in scheduler_locks is the lock; a row whose time is over may be
// taken again. The repository unlocks with a delete by job name: after an overrun it
// deletes the row of the instance that runs now.
// To flag: the gorm Delete in package repo, behind the LockRepo interface.
package main

import (
	"context"
	"log"
	"time"

	"github.com/fencelint/fencelint/testdata/cases/P007/repo"
	"github.com/google/uuid"
	"gorm.io/gorm"
)

type LockRepo interface {
	Obtain(ctx context.Context, job, owner string, d time.Duration) (bool, error)
	Free(ctx context.Context, job, owner string) error
}

type Scheduler struct{ locks LockRepo }

func (s *Scheduler) Run(ctx context.Context, job string, fn func() error) error {
	me := uuid.NewString()
	ok, err := s.locks.Obtain(ctx, job, me, 5*time.Minute)
	if err != nil || !ok {
		return err
	}
	defer s.locks.Free(context.WithoutCancel(ctx), job, me)
	return fn()
}

func main() {
	s := &Scheduler{locks: &repo.Locks{DB: &gorm.DB{}}}
	log.Println(s.Run(context.Background(), "usage-report", func() error { return nil }))
}
