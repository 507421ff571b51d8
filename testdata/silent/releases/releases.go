// Package releases gives locks up as it should be done, and deletes what is no
// lock: nothing is to be said.
package releases

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

//go:embed free.lua
var embedded string

const inConst = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`

var inScript = redis.NewScript(`
-- prolong only what is ours
local v = redis.call("GET", KEYS[1])
if v ~= ARGV[1] then return 0 end
return redis.call("PEXPIRE", KEYS[1], ARGV[2])`)

type locker struct {
	rdb  *redis.Client
	free *redis.Script
}

func newLocker(rdb *redis.Client) *locker { return &locker{rdb, redis.NewScript(inConst)} }

func (l *locker) take(ctx context.Context, name string) (key, token string, err error) {
	key, token = "lock:"+name, uuid.NewString()
	ok, err := l.rdb.SetNX(ctx, key, token, time.Minute).Result()
	if err == nil && !ok {
		err = errors.New("busy")
	}
	return key, token, err
}

func (l *locker) scripts(ctx context.Context, name string) error {
	key, token, err := l.take(ctx, name)
	if err != nil {
		return err
	}
	defer l.free.Run(context.WithoutCancel(ctx), l.rdb, []string{key}, token)
	return inScript.Run(ctx, l.rdb, []string{key}, token, 30000).Err()
}

func (l *locker) embedded(ctx context.Context, name string) error {
	key, token, err := l.take(ctx, name)
	if err != nil {
		return err
	}
	return l.rdb.Eval(ctx, embedded, []string{key}, token).Err()
}

func (l *locker) watched(ctx context.Context, name string) error {
	key, token, err := l.take(ctx, name)
	if err != nil {
		return err
	}
	return l.rdb.Watch(ctx, func(tx *redis.Tx) error {
		if got, err := tx.Get(ctx, key).Result(); err != nil || got != token {
			return err
		}
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Del(ctx, key).Err() })
		return err
	}, key)
}

func (l *locker) libraries(ctx context.Context, rs *redsync.Redsync, rl *redislock.Client) error {
	mu := rs.NewMutex("lock:library")
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer mu.UnlockContext(ctx)
	other, err := rl.Obtain(ctx, "lock:other", time.Minute, nil)
	if err != nil {
		return err
	}
	defer other.Release(ctx)
	return other.Refresh(ctx, time.Minute, nil)
}

func etcd(ctx context.Context, cli *clientv3.Client) error {
	s, err := concurrency.NewSession(cli)
	if err != nil {
		return err
	}
	defer s.Close()
	mu := concurrency.NewMutex(s, "/locks/x")
	if err := mu.Lock(ctx); err != nil {
		return err
	}
	defer mu.Unlock(ctx)
	return nil
}

func etcdLease(ctx context.Context, cli *clientv3.Client) error {
	lease, err := cli.Grant(ctx, 10)
	if err != nil {
		return err
	}
	const key = "/locks/lease"
	resp, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, "me", clientv3.WithLease(lease.ID))).Commit()
	if err != nil || !resp.Succeeded {
		return errors.Join(err, errors.New("busy"))
	}
	_, err = cli.Revoke(ctx, lease.ID)
	return err
}

func consul(c *api.Client, session string) error {
	kv := &api.KVPair{Key: "locks/x", Session: session}
	ok, _, err := c.KV().Acquire(kv, nil)
	if err != nil || !ok {
		return err
	}
	_, _, err = c.KV().Release(kv, nil)
	return err
}

// Data beside a lock, and a marker that is never released.
func (l *locker) beside(ctx context.Context, name string) error {
	key, token, err := l.take(ctx, name)
	if err != nil {
		return err
	}
	defer l.free.Run(ctx, l.rdb, []string{key}, token)
	return l.rdb.SetNX(ctx, "done:"+name, 1, time.Hour).Err()
}

func (l *locker) forget(ctx context.Context, user string) error {
	return l.rdb.Del(ctx, "cache:user:"+user).Err()
}

// The row of a lock, in the transaction that holds it.
func inTx(ctx context.Context, db *sql.DB, name, me string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var owner string
	if err := tx.QueryRowContext(ctx, `SELECT owner FROM locks WHERE name = $1 FOR UPDATE`, name).Scan(&owner); err != nil {
		return err
	}
	if owner != me {
		return errors.New("not ours")
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM locks WHERE name = $1`, name); err != nil {
		return err
	}
	return tx.Commit()
}

// One pinned connection locks and unlocks.
func pinned(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(7)`); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(7)`)
	_, err = conn.ExecContext(ctx, `UPDATE walls SET color = 'red'`)
	return err
}

// A record that is named after its owner is nobody else's.
type candidate struct {
	rdb *redis.Client
	url string
}

func wantsLockKey(url string) string { return "coordinator.lock.wanted:" + url }

func (c *candidate) releaseWanted(ctx context.Context) error {
	return c.rdb.Del(ctx, wantsLockKey(c.url)).Err()
}
