package mappers

import (
	"github.com/go-gorp/gorp/v3"
	"github.com/go-redsync/redsync/v4"
)

// sweep does much under its own lease. What start does there is told with the
// lease that start takes for it.
func sweep(rs *redsync.Redsync, db *gorp.DbMap) error {
	mu := rs.NewMutex("sweep-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	if _, err := db.Exec("UPDATE jobs SET status = 'old'"); err != nil { // want `unfencedwrite \(unfenced\)`
		return err
	}
	if _, err := db.Exec("UPDATE nodes SET jobs = 0"); err != nil {
		return err
	}
	if _, err := db.Exec("UPDATE queues SET jobs = 0"); err != nil {
		return err
	}
	return start(rs, db, &job{ID: 1})
}

func start(rs *redsync.Redsync, db gorp.SqlExecutor, j *job) error {
	mu := rs.NewMutex("start-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	j.Status = "running"
	_, err := db.Update(j) // want `unfencedwrite \(unfenced\)`
	return err
}
