// Package lockers takes locks as values of an interface: each of them is one
// lock, which its methods take and give up without naming it.
package lockers

import (
	"context"

	"cirello.io/dynamolock"
	"github.com/redis/go-redis/v9"
)

// A Locker is one lock.
type Locker interface {
	Lock() error
	Unlock() error
}

// A Row is a lock that takes by one field and gives up by another.
type Row struct {
	client *dynamolock.Client
	name   string
	item   *dynamolock.Lock
}

func (r *Row) Lock() error {
	item, err := r.client.AcquireLock(r.name)
	r.item = item
	return err
}

func (r *Row) Unlock() error {
	_, err := r.client.ReleaseLock(r.item)
	return err
}

type table struct {
	newLock func() Locker
	rdb     *redis.Client
}

// commit gives the lock up before it returns.
func (t *table) commit(ctx context.Context, version string) (err error) {
	lock := t.newLock()
	if err = lock.Lock(); err != nil {
		return err
	}
	defer func() {
		if unlockErr := lock.Unlock(); unlockErr != nil {
			err = unlockErr
		}
	}()
	return t.rdb.Set(ctx, "version", version, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// create writes a summary once the commit is done, under no lock.
func (t *table) create(ctx context.Context, version, summary string) error {
	if err := t.commit(ctx, version); err != nil {
		return err
	}
	return t.rdb.Set(ctx, "summary", summary, 0).Err()
}

// begin returns with its lock held, whatever it does with another one.
func (t *table) begin() (Locker, error) {
	lock, other := t.newLock(), t.newLock()
	if err := lock.Lock(); err != nil {
		return nil, err
	}
	defer func() {
		_ = other.Unlock()
	}()
	return lock, nil
}

// replace writes a summary under the lock that begin took.
func (t *table) replace(ctx context.Context, summary string) error {
	lock, err := t.begin()
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	return t.rdb.Set(ctx, "replaced", summary, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// open returns with its lock held, unless it fails.
func (t *table) open(ctx context.Context) (lock Locker, err error) {
	lock = t.newLock()
	defer func() {
		if err != nil {
			_ = lock.Unlock()
		}
	}()
	if err = lock.Lock(); err != nil {
		return nil, err
	}
	return lock, t.rdb.Ping(ctx).Err()
}

// alter writes under the lock that open took.
func (t *table) alter(ctx context.Context, summary string) error {
	lock, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	return t.rdb.Set(ctx, "altered", summary, 0).Err() // want `^unfencedwrite \(unfenced\)`
}
