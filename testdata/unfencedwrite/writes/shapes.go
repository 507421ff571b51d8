// Package writes changes stores under a lease that they know nothing of.
package writes

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("busy")

// Between lock and unlock, in one function.
func direct(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id, color string) error {
	mu := rs.NewMutex("paint:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(context.WithoutCancel(ctx))
	_, err := db.ExecContext(ctx, `UPDATE walls SET color = $2 WHERE id = $1`, id, color) // want `unfencedwrite \(unfenced\)`
	return err
}

// What is stored derives from what was read.
func readModifyWrite(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string) error {
	mu := rs.NewMutex("stock:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	var n int
	if err := db.QueryRowContext(ctx, `SELECT n FROM stock WHERE id = $1`, id).Scan(&n); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE stock SET n = $2 WHERE id = $1`, id, n-1) // want `unfencedwrite \(rmw\)`
	return err
}

// The same in Redis.
func counter(ctx context.Context, rs *redsync.Redsync, rdb *redis.Client) error {
	mu := rs.NewMutex("counter-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	n, err := rdb.Get(ctx, "counter").Int()
	if err != nil {
		return err
	}
	return rdb.Set(ctx, "counter", n+1, 0).Err() // want `unfencedwrite \(rmw\)`
}

// Behind a repository of the project's own.
type accounts struct{ db *sql.DB }

func (a *accounts) rename(ctx context.Context, id, name string) error {
	_, err := a.db.ExecContext(ctx, `UPDATE accounts SET name = $2 WHERE id = $1`, id, name) // want `unfencedwrite \(unfenced\)`
	return err
}

func repository(ctx context.Context, rs *redsync.Redsync, a *accounts, id string) error {
	mu := rs.NewMutex("accounts:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	return a.rename(ctx, id, "new")
}

// In a callback that runs under the lock.
var freeIfMine = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func withLock(ctx context.Context, rdb *redis.Client, name string, fn func(context.Context) error) error {
	key, token := "lock:"+name, uuid.NewString()
	ok, err := rdb.SetNX(ctx, key, token, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer freeIfMine.Run(context.WithoutCancel(ctx), rdb, []string{key}, token)
	return fn(ctx)
}

func callback(ctx context.Context, rdb *redis.Client, db *sql.DB) error {
	return withLock(ctx, rdb, "prices", func(ctx context.Context) error {
		_, err := db.ExecContext(ctx, `UPDATE prices SET net = net * 2`) // want `unfencedwrite \(unfenced\)`
		return err
	})
}

// In a transaction that does not hold the lock.
func transaction(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string) error {
	mu := rs.NewMutex("tx:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `UPDATE orders SET state = 'paid' WHERE id = $1`, id); err != nil { // want `unfencedwrite \(unfenced\)`
		return err
	}
	return tx.Commit()
}

// In a pipeline.
func pipeline(ctx context.Context, rs *redsync.Redsync, rdb *redis.Client) error {
	mu := rs.NewMutex("pipe-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.HSet(ctx, "profile", "name", "x") // want `unfencedwrite \(unfenced\)`
		return nil
	})
	return err
}

// After a loop that retries.
func retried(ctx context.Context, rdb *redis.Client, db *sql.DB) error {
	const key = "lock:retried"
	token := uuid.NewString()
	for {
		ok, err := rdb.SetNX(ctx, key, token, time.Minute).Result()
		if err != nil {
			return err
		}
		if ok {
			break
		}
		time.Sleep(time.Second)
	}
	defer freeIfMine.Run(ctx, rdb, []string{key}, token)
	_, err := db.ExecContext(ctx, `UPDATE feeds SET pos = $1`, 7) // want `unfencedwrite \(unfenced\)`
	return err
}

// Outside systems.
func outside(ctx context.Context, rs *redsync.Redsync, body []byte) error {
	mu := rs.NewMutex("hook-mutex")
	if err := mu.Lock(); err != nil {
		return err
	}
	defer mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.invalid/charge", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req) // want `unfencedwrite \(external\)`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// The answer of the acquire is dropped.
func dropped(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string) error {
	mu := rs.NewMutex("dropped:" + id)
	_ = mu.LockContext(ctx)
	defer mu.UnlockContext(ctx)
	_, err := db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id) // want `unfencedwrite \(unguarded\)`
	return err
}

// A goroutine that nobody waits for.
func escaped(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string) error {
	mu := rs.NewMutex("escaped:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	go func() {
		db.Exec(`UPDATE walls SET color = 'blue' WHERE id = $1`, id) // want `unfencedwrite \(escaped\)`
	}()
	return nil
}

// One store is fenced, the other is not.
func partial(ctx context.Context, rs *redsync.Redsync, rdb *redis.Client, db *sql.DB, id string, version int) error {
	mu := rs.NewMutex("partial:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	if err := rdb.HSet(ctx, "walls:"+id, "color", "green").Err(); err != nil { // want `unfencedwrite \(partial\)`
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE walls SET color = 'green', version = version + 1 WHERE id = $1 AND version = $2`, id, version)
	return err
}
