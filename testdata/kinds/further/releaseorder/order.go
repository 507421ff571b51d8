package releaseorder

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"gorm.io/gorm"
)

func beforeCommit(db *sql.DB, mu *redsync.Mutex) error {
	if err := mu.Lock(); err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		mu.Unlock()
		return err
	}
	_, err = tx.Exec(`INSERT INTO entries (id) VALUES (1) ON CONFLICT DO NOTHING`)
	mu.Unlock() // want `releaseorder \(releasebeforecommit\): redis Unlock frees the lock before the transaction is committed`
	if err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

func deferredCommit(db *sql.DB, mu *redsync.Mutex) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Commit()
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock() // want `releaseorder \(releasebeforecommit\)`
	_, err = tx.Exec(`INSERT INTO entries (id) VALUES (1) ON CONFLICT DO NOTHING`)
	return err
}

func inBody(db *gorm.DB, mu *redsync.Mutex) error {
	return db.Transaction(func(tx *gorm.DB) error {
		if err := mu.Lock(); err != nil {
			return err
		}
		defer mu.Unlock() // want `releaseorder \(releasebeforecommit\)`
		return tx.Exec("INSERT INTO entries (id) VALUES (1) ON CONFLICT DO NOTHING").Error
	})
}

func onTransactionOfCaller(tx *sql.Tx, mu *redsync.Mutex) error {
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock() // want `releaseorder \(releasebeforecommit\)`
	_, err := tx.Exec(`INSERT INTO entries (id) VALUES (1) ON CONFLICT DO NOTHING`)
	return err
}

func beforeWait(c *redislock.Client, jobs []func()) error {
	lock, err := c.Obtain(context.Background(), "jobs", time.Minute, nil)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for _, job := range jobs {
		wg.Go(job)
	}
	lock.Release(context.Background()) // want `releaseorder \(releasebeforeworkends\): redis Release frees the lock before the wait`
	wg.Wait()
	return nil
}

func deferredWait(c *redislock.Client, jobs []func()) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	lock, err := c.Obtain(context.Background(), "jobs", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(context.Background()) // want `releaseorder \(releasebeforeworkends\)`
	for _, job := range jobs {
		wg.Go(job)
	}
	return nil
}
