package writes

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"log"
	"os"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Only reads.
func reads(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string) (n int, err error) {
	mu := rs.NewMutex("reads:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return 0, err
	}
	defer mu.UnlockContext(ctx)
	err = db.QueryRowContext(ctx, `SELECT n FROM stock WHERE id = $1`, id).Scan(&n)
	log.Println("stock", n)
	return n, err
}

// The store compares.
func conditional(ctx context.Context, rs *redsync.Redsync, db *sql.DB, rdb *redis.Client, id string, version int) error {
	mu := rs.NewMutex("conditional:" + id)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	if _, err := db.ExecContext(ctx, `UPDATE stock SET n = 1, version = version + 1 WHERE id = $1 AND version = $2`, id, version); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO days (day, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, "mon", id); err != nil {
		return err
	}
	if err := rdb.SetNX(ctx, "once:"+id, 1, 0).Err(); err != nil {
		return err
	}
	return rdb.Eval(ctx, `if tonumber(redis.call("GET", KEYS[1]) or "0") < tonumber(ARGV[1]) then redis.call("SET", KEYS[1], ARGV[1]) end`, []string{"max:" + id}, version).Err()
}

// Deleting what is old, whoever does it.
func byAge(ctx context.Context, rs *redsync.Redsync, db *sql.DB) error {
	mu := rs.NewMutex("retention-lock")
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	_, err := db.ExecContext(ctx, `DELETE FROM events WHERE created_at < now() - interval '30 days'`)
	return err
}

// The transaction that holds the row.
func rowLock(ctx context.Context, db *sql.DB, id string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT n FROM stock WHERE id = $1 FOR UPDATE`, id).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE stock SET n = $2 WHERE id = $1`, id, n-1); err != nil {
		return err
	}
	return tx.Commit()
}

// The transaction that holds the advisory lock.
func advisory(ctx context.Context, db *sql.DB, id int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE stock SET n = 0 WHERE id = $1`, id); err != nil {
		return err
	}
	return tx.Commit()
}

// The failure branch of the acquire.
func failure(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string) error {
	mu := rs.NewMutex("failure:" + id)
	if err := mu.LockContext(ctx); err != nil {
		_, err = db.ExecContext(ctx, `UPDATE waits SET n = n + 1 WHERE id = $1`, id)
		return err
	}
	defer mu.UnlockContext(ctx)
	return nil
}

// A mutex of this process.
type table struct {
	mu sync.Mutex
	db *sql.DB
}

func (t *table) set(ctx context.Context, id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := t.db.ExecContext(ctx, `UPDATE walls SET color = 'red' WHERE id = $1`, id)
	return err
}

// What looks like an acquire and is none: a marker, a rate limit, a cached flag.
func seen(ctx context.Context, rdb *redis.Client, db *sql.DB, msg string) error {
	fresh, err := rdb.SetNX(ctx, "seen:"+msg, 1, 24*time.Hour).Result()
	if err != nil || !fresh {
		return err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO messages (id) VALUES ($1)`, msg)
	return err
}

func limited(ctx context.Context, rdb *redis.Client, db *sql.DB, user string) error {
	ok, err := rdb.SetNX(ctx, "rate:"+user, 1, time.Second).Result()
	if err != nil || !ok {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE users SET visits = visits + 1 WHERE id = $1`, user)
	return err
}

func cached(ctx context.Context, rdb *redis.Client, db *sql.DB, user string) error {
	if set, err := rdb.SetNX(ctx, "cache:active:"+user, true, time.Hour).Result(); err != nil || !set {
		return err
	}
	_, err := db.ExecContext(ctx, `UPDATE users SET active = true WHERE id = $1`, user)
	return err
}

// Files of this machine, and names made of their content.
func files(ctx context.Context, rs *redsync.Redsync, rdb *redis.Client, body []byte) error {
	mu := rs.NewMutex("files-mutex")
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	if err := os.WriteFile(os.TempDir()+"/x", body, 0o600); err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	return rdb.Set(ctx, "blob:"+hex.EncodeToString(sum[:]), body, 0).Err()
}

// A goroutine that is waited for, and a channel.
func joined(ctx context.Context, rs *redsync.Redsync, out chan<- int) error {
	mu := rs.NewMutex("joined-mutex")
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	out <- 1
	var wg sync.WaitGroup
	wg.Go(func() { log.Println("work") })
	wg.Wait()
	return nil
}

// The owner of the acquisition is compared by the store in the same step.
func owned(ctx context.Context, db *sql.DB, id string) error {
	me := uuid.NewString()
	res, err := db.ExecContext(ctx, `UPDATE jobs SET owner = $2, lease_until = now() + interval '1 minute' WHERE id = $1 AND lease_until < now()`, id, me)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE jobs SET result = 'x' WHERE id = $1 AND owner = $2`, id, me)
	return err
}
