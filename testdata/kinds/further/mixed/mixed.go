// Package mixed holds faults of the rules beside those of the further passes,
// which are silent where a rule reports.
package mixed

import (
	"context"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
)

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

// The conduct of the worker when its session ends is decided where it connects.
func connect() (*zk.Conn, error) {
	conn, _, err := zk.Connect([]string{"127.0.0.1"}, time.Second) // want `leaseloss \(lostsignalignored\): zookeeper Connect`
	return conn, err
}

func plan(conn *zk.Conn, next []byte) error {
	l := zk.NewLock(conn, "/locks/plan", zk.WorldACL(zk.PermAll))
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	_, err := conn.Set("/plan", next, -1) // want `unfencedwrite \(unfenced\)`
	return err
}

// The write tells of the dropped answer, the pass does not tell it again.
func dropped(ctx context.Context, rdb *redis.Client, n int) error {
	rdb.SetNX(ctx, "lock:dropped", "me", time.Minute)
	return rdb.Set(ctx, "balance", n, 0).Err() // want `unfencedwrite \(unguarded\)`
}

// A directive silences a further pass as it silences a rule.
func ignored(ctx context.Context, rdb *redis.Client) {
	//fencelint:ignore lockresult the report may be sent twice
	rdb.SetNX(ctx, "lock:ignored", "me", time.Minute)
	time.Sleep(time.Second)
	work()
}

func work() {}
