package inventory

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/redis/go-redis/v9"
)

// ErrChanged says that somebody else has changed the item meanwhile.
var ErrChanged = errors.New("changed by another worker")

// ReserveRepaired needs no lock: the database computes, and its condition
// refuses what is not there.
func ReserveRepaired(ctx context.Context, db *sql.DB, item string, n int) error {
	res, err := db.ExecContext(ctx, "UPDATE items SET stock = stock - ? WHERE id = ? AND stock >= ?", n, item, n)
	return changed(res, err, ErrSoldOut)
}

// RestockRepaired keeps the lock, so that two workers do not count at the same
// time. What protects the data is the version in the condition.
func RestockRepaired(ctx context.Context, rdb *redis.Client, db *sql.DB, item string, count func() int) error {
	lock, err := AcquireOwned(ctx, rdb, item)
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))

	var version int
	if err := db.QueryRowContext(ctx, "SELECT version FROM items WHERE id = ?", item).Scan(&version); err != nil {
		return err
	}
	res, err := db.ExecContext(ctx,
		"UPDATE items SET stock = ?, version = version + 1 WHERE id = ? AND version = ?", count(), item, version)
	return changed(res, err, ErrChanged)
}

// changed returns refused if the statement found no row to change.
func changed(res sql.Result, err, refused error) error {
	if err != nil {
		return err
	}
	rows, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if rows == 0 {
		return refused
	}
	return nil
}

// An OwnedLock knows which acquisition it belongs to.
type OwnedLock struct {
	rdb         *redis.Client
	name, owner string
}

// AcquireOwned takes the lock of an item with an owner value made for this
// acquisition.
func AcquireOwned(ctx context.Context, rdb *redis.Client, item string) (*OwnedLock, error) {
	l := &OwnedLock{rdb: rdb, name: "lock:" + item, owner: rand.Text()}
	ok, err := rdb.SetNX(ctx, l.name, l.owner, lease).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrLocked
	}
	return l, nil
}

// release deletes the lock if it still belongs to the owner, in one step.
var release = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// Release gives the lock back, if it is still this one.
func (l *OwnedLock) Release(ctx context.Context) error {
	return release.Run(ctx, l.rdb, []string{l.name}, l.owner).Err()
}
