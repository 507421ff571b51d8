// Package own writes, under a lease, records that no successor means: named by
// an id of this run or by this process, bound to the lease itself, or taken for
// a while and left to run out.
package own

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type worker struct {
	mutex  *redsync.Mutex
	rdb    *redis.Client
	db     *sql.DB
	runs   *mongo.Collection
	client *http.Client
	node   string
}

func newWorker(mutex *redsync.Mutex, rdb *redis.Client, db *sql.DB) *worker {
	node, _ := os.Hostname()
	return &worker{mutex: mutex, rdb: rdb, db: db, node: node}
}

// run keeps its record under an id that it has just made up.
func (w *worker) run(ctx context.Context) error {
	if err := w.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer w.mutex.UnlockContext(context.WithoutCancel(ctx))
	id := uuid.NewString()
	if _, err := w.db.ExecContext(ctx, `UPDATE run SET state = 'started' WHERE id = $1`, id); err != nil {
		return err
	}
	if _, err := w.runs.UpdateOne(ctx, bson.M{"_id": id}, bson.M{"$set": bson.M{"state": "started"}}); err != nil {
		return err
	}
	return w.note(ctx, id)
}

func (w *worker) note(ctx context.Context, id string) error {
	return w.rdb.Set(ctx, "run:"+id, "started", 0).Err()
}

// status is kept by each process for itself.
func (w *worker) status(ctx context.Context) error {
	if err := w.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer w.mutex.UnlockContext(context.WithoutCancel(ctx))
	return w.rdb.Set(ctx, "status:"+w.node, "leading", 0).Err()
}

// publish writes what goes away together with the lease.
func publish(ctx context.Context, client *clientv3.Client, addr string) error {
	session, err := concurrency.NewSession(client)
	if err != nil {
		return err
	}
	election := concurrency.NewElection(session, "/leader")
	if err := election.Campaign(ctx, addr); err != nil {
		return err
	}
	if _, err := client.Put(ctx, "/leader-address", addr, clientv3.WithLease(session.Lease())); err != nil {
		return err
	}
	<-session.Done()
	return nil
}

// search asks another service by a request with a body.
func (w *worker) search(ctx context.Context, query string) error {
	if err := w.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer w.mutex.UnlockContext(context.WithoutCancel(ctx))
	return w.searchUsers(ctx, query)
}

func (w *worker) searchUsers(ctx context.Context, query string) error {
	return w.call(ctx, http.MethodPost, "/search", query)
}

func (w *worker) call(ctx context.Context, method, path, body string) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// mark labels the pod that this process runs in.
func (w *worker) mark(ctx context.Context) error {
	if err := w.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer w.mutex.UnlockContext(context.WithoutCancel(ctx))
	return w.call(ctx, http.MethodPatch, fmt.Sprintf("/pods/%s", w.node), "leading")
}

var errWait = errors.New("wait a minute")

// resend sends at most one mail a minute: the claim stays after success.
func (w *worker) resend(ctx context.Context, user string) error {
	claim := uuid.NewString()
	key := "claim:" + user
	ok, err := w.rdb.SetNX(ctx, key, claim, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errWait
	}
	if _, err := w.db.ExecContext(ctx, `UPDATE account SET mail_token = $1 WHERE name = $2`, claim, user); err != nil {
		w.free(ctx, key, claim)
		return fmt.Errorf("rotate: %w", err)
	}
	return nil
}

var freeScript = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

func (w *worker) free(ctx context.Context, key, claim string) {
	freeScript.Run(ctx, w.rdb, []string{key}, claim)
}

// even and odd name each other: whose name it is cannot be told.
func even(n int) string {
	if n == 0 {
		return "state"
	}
	return odd(n - 1)
}

func odd(n int) string { return "x" + even(n-1) }

func (w *worker) parity(ctx context.Context, n int) error {
	return w.rdb.Set(ctx, even(n), "known", 0).Err()
}
