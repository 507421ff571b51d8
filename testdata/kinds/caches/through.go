package caches

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type names struct {
	locks *redislock.Client
	rdb   *redis.Client
	db    *sql.DB
}

// name answers from the copy, or from the table, of which it then keeps a copy.
func (n *names) name(ctx context.Context, id string) (string, error) {
	if copied, err := n.rdb.Get(ctx, "name:"+id).Result(); err == nil {
		return copied, nil
	}
	var name string
	if err := n.db.QueryRowContext(ctx, `SELECT name FROM names WHERE id = $1`, id).Scan(&name); err != nil {
		return "", err
	}
	n.rdb.Set(ctx, "name:"+id, name, 0)
	return name, nil
}

// next answers with what it has made of the record itself.
func (n *names) next(ctx context.Context, id string) (string, error) {
	last, err := n.rdb.Get(ctx, "last:"+id).Result()
	if err != nil {
		return "", err
	}
	last += "+"
	return last, n.rdb.Set(ctx, "last:"+id, last, 0).Err() // want `^unfencedwrite \(rmw\)`
}

// Name asks for one under a lease.
func (n *names) Name(ctx context.Context, id string) (string, error) {
	lock, err := n.locks.Obtain(ctx, "lock:"+id, time.Minute, nil)
	if err != nil {
		return "", err
	}
	defer lock.Release(ctx)
	return n.name(ctx, id)
}

// Next asks for the other.
func (n *names) Next(ctx context.Context, id string) (string, error) {
	lock, err := n.locks.Obtain(ctx, "lock:"+id, time.Minute, nil)
	if err != nil {
		return "", err
	}
	defer lock.Release(ctx)
	return n.next(ctx, id)
}
