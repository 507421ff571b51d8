// Package election is the helper package of case R007.
package election

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

type Leadership struct {
	Cli *clientv3.Client
	Key string
}

// Campaign writes the leader key if there is none.
func (l *Leadership) Campaign(ctx context.Context, me string, lease clientv3.LeaseID) (bool, error) {
	resp, err := l.Cli.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(l.Key), "=", 0)).
		Then(clientv3.OpPut(l.Key, me, clientv3.WithLease(lease))).Commit()
	return err == nil && resp.Succeeded, err
}

// Observed returns the leader seen in the store and the revision that was seen.
func (l *Leadership) Observed(ctx context.Context) (string, int64, error) {
	resp, err := l.Cli.Get(ctx, l.Key)
	if err != nil || len(resp.Kvs) == 0 {
		return "", 0, err
	}
	return string(resp.Kvs[0].Value), resp.Kvs[0].ModRevision, nil
}

// Clear removes the leader key.
func (l *Leadership) Clear(ctx context.Context) error {
	_, err := l.Cli.Delete(ctx, l.Key) // want `keyonlyrelease \((keyonly|getthendel)\)`
	return err
}
