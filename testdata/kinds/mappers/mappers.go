// Package mappers stores whole rows through mappers that compare nothing.
package mappers

import (
	"github.com/go-gorp/gorp/v3"
	"github.com/go-redsync/redsync/v4"
	"gorm.io/gorm"
)

// Version is that of the program which runs the job: a text, and no guard.
type job struct {
	ID      int64  `db:"id"`
	Status  string `db:"status"`
	Version string `db:"version"`
}

func loadJob(db gorp.SqlExecutor, id int64) (*job, error) {
	j := new(job)
	if err := db.SelectOne(j, "SELECT * FROM jobs WHERE id = $1", id); err != nil {
		return nil, err
	}
	return j, nil
}

// finish reads outside its transaction and stores every column in it.
func finish(rs *redsync.Redsync, db *gorp.DbMap, id int64) error {
	mu := rs.NewMutex("job-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	j, err := loadJob(db, id)
	if err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	j.Status = "done"
	if _, err := tx.Update(j); err != nil { // want `unfencedwrite \((rmw|unfenced)\)`
		return err
	}
	return tx.Commit()
}

// A version that goes out as JSON is no column that the mapper compares.
type page struct {
	ID      int64  `json:"id"`
	Text    string `json:"text"`
	Version int64  `json:"version"`
}

func publish(rs *redsync.Redsync, db *gorm.DB, p *page) error {
	mu := rs.NewMutex("page-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	return db.Save(p).Error // want `unfencedwrite \(unfenced\)`
}
