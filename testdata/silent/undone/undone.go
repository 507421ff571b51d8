// Package undone notes, in a defer, what came of work that was chosen under a
// lease: in a record that the lease had nothing to do with.
package undone

import (
	"github.com/go-redsync/redsync/v4"
	"gorm.io/gorm"
)

type task struct {
	ID      int64
	State   string
	Version int64
}

type attempt struct{ Result string }

type queue struct {
	rs *redsync.Redsync
	db *gorm.DB
}

func (q *queue) note(a *attempt, result string) error {
	a.Result = result
	return q.db.Save(a).Error
}

func (q *queue) work(run func(*task) error) error {
	t, err := func() (*task, error) {
		mu := q.rs.NewMutex("queue-mutex")
		if err := mu.Lock(); err != nil {
			return nil, err
		}
		defer mu.Unlock()
		t := new(task)
		if err := q.db.Where("state = ?", "open").First(t).Error; err != nil {
			return nil, err
		}
		t.State = "taken"
		return t, q.db.Model(t).Where("state = ? AND version = ?", "open", t.Version).Updates(map[string]any{"state": t.State, "version": t.Version + 1}).Error
	}()
	if err != nil {
		return err
	}
	a := new(attempt)
	defer func() {
		if err != nil {
			_ = q.note(a, "failed")
		}
	}()
	err = run(t)
	return err
}
