// Package releaseorder gives locks up when everything else has ended.
package releaseorder

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"go.etcd.io/etcd/client/v3/concurrency"

	clientv3 "go.etcd.io/etcd/client/v3"
)

func work(context.Context) {}

func detached(ctx context.Context, c *redislock.Client) error {
	lock, err := c.Obtain(ctx, "balance", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	work(ctx)
	return nil
}

// The context of the release is made for it.
func ownLimit(ctx context.Context, mu *redsync.Mutex) error {
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_, _ = mu.UnlockContext(ctx)
	}()
	work(ctx)
	return nil
}

func free(ctx context.Context, lock *redislock.Lock) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return lock.Release(ctx)
}

// The helper lets go of the caller's context.
func helped(ctx context.Context, c *redislock.Client) error {
	lock, err := c.Obtain(ctx, "balance", time.Minute, nil)
	if err != nil {
		return err
	}
	defer free(ctx, lock)
	work(ctx)
	return nil
}

// The lease is revoked with the session, whatever becomes of the unlock.
func ofSession(ctx context.Context, cli *clientv3.Client) error {
	s, err := concurrency.NewSession(cli)
	if err != nil {
		return err
	}
	defer s.Close()
	mu := concurrency.NewMutex(s, "/balance")
	if err := mu.Lock(ctx); err != nil {
		return err
	}
	defer mu.Unlock(ctx)
	work(ctx)
	return nil
}

// All who call it give a context without an end.
func called(ctx context.Context, c *redislock.Client) error {
	lock, err := c.Obtain(ctx, "balance", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	work(ctx)
	return nil
}

func caller(c *redislock.Client) error { return called(context.Background(), c) }

func commitFirst(db *sql.DB, mu *redsync.Mutex) error {
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`INSERT INTO entries (id) VALUES (1) ON CONFLICT DO NOTHING`); err != nil {
		return err
	}
	return tx.Commit()
}

// Each turn has its own lock and its own transaction.
func commitInLoop(db *sql.DB, mu *redsync.Mutex) error {
	for range 10 {
		if err := mu.Lock(); err != nil {
			return err
		}
		tx, err := db.Begin()
		if err == nil {
			_, err = tx.Exec(`INSERT INTO entries (id) VALUES (1) ON CONFLICT DO NOTHING`)
		}
		if err == nil {
			err = tx.Commit()
		}
		mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

func waitFirst(c *redislock.Client, jobs []func()) error {
	lock, err := c.Obtain(context.Background(), "jobs", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(context.Background())
	var wg sync.WaitGroup
	for _, job := range jobs {
		wg.Go(job)
	}
	wg.Wait()
	return nil
}

// What renews the lock is waited for last: it does no work under it.
func stopRenewal(c *redislock.Client) error {
	ctx, stop := context.WithCancel(context.Background())
	lock, err := c.Obtain(ctx, "jobs", time.Minute, nil)
	if err != nil {
		stop()
		return err
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			time.Sleep(20 * time.Second)
			if lock.Refresh(ctx, time.Minute, nil) != nil {
				stop()
			}
		}
	})
	work(ctx)
	lock.Release(context.Background())
	stop()
	wg.Wait()
	return nil
}
