package releaseorder

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
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

type renewed struct {
	rdb  *redis.Client
	me   string
	done chan struct{}
}

var freeScript = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (r *renewed) lock(ctx context.Context) bool {
	if !r.rdb.SetNX(ctx, "lock:renewed", r.me, time.Minute).Val() {
		return false
	}
	r.done = make(chan struct{})
	go r.renew()
	return true
}

func (r *renewed) renew() {
	for {
		select {
		case <-r.done:
			return
		case <-time.After(20 * time.Second):
			r.rdb.Expire(context.Background(), "lock:renewed", time.Minute) // want `keyonlyrelease`
		}
	}
}

func (r *renewed) unlock() {
	freeScript.Run(context.Background(), r.rdb, []string{"lock:renewed"}, r.me) // want `releaseorder \(releasebeforestop\): redis Run DEL frees the lock before the renewal is stopped`
	close(r.done)
}
