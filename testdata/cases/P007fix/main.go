// Case P007, fixed: the repository deletes by job and owner in one statement; the owner is
// random per run, so a late Free finds no row. Nothing to flag.
package main

import (
	"context"
	"log"
	"time"

	"github.com/fencelint/fencelint/testdata/cases/P007fix/repo"
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
