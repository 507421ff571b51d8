// Package presence asks only that the record is there before it overwrites it.
package presence

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func update(ctx context.Context, cli *clientv3.Client, mu *concurrency.Mutex, node, meta string) error {
	if err := mu.Lock(ctx); err != nil {
		return err
	}
	defer mu.Unlock(context.WithoutCancel(ctx))
	key := "/nodes/" + node
	_, err := cli.Txn(ctx).
		If(clientv3.Compare(clientv3.Version(key), "!=", 0)).
		Then(clientv3.OpPut(key, meta)).
		Commit() // want `unfencedwrite \(unfenced\)`
	return err
}
