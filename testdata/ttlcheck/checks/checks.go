// Package checks asks the worker whether it still holds the lease, and
// believes the answer.
package checks

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"sync/atomic"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errLost = errors.New("lost")

type lock struct {
	rdb        *redis.Client
	key, token string
	until      time.Time
	lost       chan struct{}
}

func take(ctx context.Context, rdb *redis.Client, name string) (*lock, error) {
	l := &lock{rdb: rdb, key: "lock:" + name, token: uuid.NewString(), lost: make(chan struct{})}
	ok, err := rdb.SetNX(ctx, l.key, l.token, time.Minute).Result()
	if err != nil || !ok {
		return nil, errors.Join(err, errors.New("busy"))
	}
	l.until = time.Now().Add(time.Minute)
	return l, nil
}

// The owner is read and compared.
func (l *lock) ownerCheck(ctx context.Context, db *sql.DB, id string) error {
	got, err := l.rdb.Get(ctx, l.key).Result()
	if err != nil || got != l.token {
		return errLost
	}
	_, err = db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id) // want `ttlcheck \(ownercheck\)`
	return err
}

// Time is left.
func (l *lock) ttlRemaining(ctx context.Context, db *sql.DB, id string) error {
	if l.rdb.PTTL(ctx, l.key).Val() <= time.Second {
		return errLost
	}
	_, err := db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id) // want `ttlcheck \(ttlremaining\)`
	return err
}

// The local clock says so.
func (l *lock) clock(ctx context.Context, db *sql.DB, id string) error {
	if time.Now().After(l.until) {
		return errLost
	}
	_, err := db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id) // want `ttlcheck \(clock\)`
	return err
}

// The library says so.
func until(ctx context.Context, mu *redsync.Mutex, db *sql.DB, id string) error {
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	if time.Now().Before(mu.Until()) {
		_, err := db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id) // want `ttlcheck \((clock|ttlremaining)\)`
		return err
	}
	return errLost
}

// It was prolonged just now.
func extended(ctx context.Context, mu *redsync.Mutex, db *sql.DB, id string) error {
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	ok, err := mu.ExtendContext(ctx)
	if err != nil || !ok {
		return errLost
	}
	_, err = db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id) // want `ttlcheck \(extendcheck\)`
	return err
}

// The token is compared here and not by the store.
func tokenCompare(ctx context.Context, mu *redsync.Mutex, db *sql.DB, id string, mine int64) error {
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	var epoch int64
	if err := db.QueryRowContext(ctx, `SELECT epoch FROM leases WHERE id = $1`, id).Scan(&epoch); err != nil {
		return err
	}
	if epoch != mine {
		return errLost
	}
	_, err := db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id) // want `ttlcheck \(tokencompare\)`
	return err
}

// A flag that a loop keeps.
type node struct {
	rdb      *redis.Client
	db       *sql.DB
	isLeader atomic.Bool
}

func (n *node) campaign(ctx context.Context, me string) {
	for ctx.Err() == nil {
		ok, err := n.rdb.SetNX(ctx, "leader", me, 10*time.Second).Result()
		n.isLeader.Store(err == nil && ok)
		time.Sleep(time.Second)
	}
}

func (n *node) tick(ctx context.Context) error {
	if !n.isLeader.Load() {
		return nil
	}
	_, err := n.db.ExecContext(ctx, `UPDATE clocks SET t = t + 1`) // want `ttlcheck \(ownercheck\)`
	return err
}

// A leader that only speaks about it.
func (n *node) report() string {
	if n.isLeader.Load() {
		log.Println("leading")
		return "leader"
	}
	return "follower"
}

// The store makes the check too.
func (n *node) fenced(ctx context.Context, version int) error {
	if !n.isLeader.Load() {
		return nil
	}
	_, err := n.db.ExecContext(ctx, `UPDATE clocks SET t = t + 1, version = version + 1 WHERE version = $1`, version)
	return err
}
