// Package undone takes a record under a lease and, in a defer, puts it back
// when the lease has long been given up.
package undone

import (
	"github.com/go-redsync/redsync/v4"
	"gorm.io/gorm"
)

type task struct {
	ID    int64
	State string
}

type queue struct {
	rs *redsync.Redsync
	db *gorm.DB
}

func (q *queue) next() (*task, error) {
	t := new(task)
	return t, q.db.Where("state = ?", "open").First(t).Error
}

func (q *queue) work(run func(*task) error) error {
	t, err := func() (*task, error) {
		mu := q.rs.NewMutex("queue-mutex")
		if err := mu.Lock(); err != nil {
			return nil, err
		}
		defer mu.Unlock()
		t, err := q.next()
		if err != nil {
			return nil, err
		}
		t.State = "taken"
		return t, q.db.Save(t).Error // want `unfencedwrite \((rmw|unfenced)\)`
	}()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			t.State = "open"
			_ = q.db.Save(t) // want `unfencedwrite \(escaped\)`
		}
	}()
	err = run(t)
	return err
}
