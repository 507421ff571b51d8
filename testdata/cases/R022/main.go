// Case R022: an etcd mutex guards writes to a store that knows nothing of etcd. When the
// client is cut off, the lease ends, the next client locks, and the first still writes.
// To flag: the two writes between Lock and Unlock (one direct, one inside the callee):
// no number of this lock goes with them and the store checks nothing.
package main

import (
	"context"
	"database/sql"
	"log"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func save(ctx context.Context, db *sql.DB, id string, body []byte) error {
	_, err := db.ExecContext(ctx, `UPDATE docs SET body = $1 WHERE id = $2`, body, id) // want `unfencedwrite \(unfenced\)`
	return err
}

func run(ctx context.Context, cli *clientv3.Client, db *sql.DB) error {
	s, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer s.Close()
	m := concurrency.NewMutex(s, "/locks/docs")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	if _, err := db.ExecContext(ctx, `INSERT INTO audit (msg) VALUES ('start')`); err != nil { // want `unfencedwrite \(unfenced\)`
		return err
	}
	return save(ctx, db, "d1", []byte("x"))
}

func main() { log.Println(run(context.Background(), nil, nil)) }
