package etcdfence

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/driver"
)

// Wait implements [driver.Waiter] by a watch on the keys of the lock. Beside
// the errors named there, it returns early after a compaction.
func (l *Locker) Wait(ctx context.Context, name string) error {
	if err := driver.WellFormedName("name", name); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return wrap(ctx, nil, err)
	}
	resp, err := l.client.Get(ctx, l.queue(name), clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return unsent(ctx, err)
	}
	if resp.Count == 0 {
		return nil
	}
	watching, stop := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer stop()
	events := l.client.Watch(watching, l.queue(name), clientv3.WithPrefix(), clientv3.WithFilterPut(),
		clientv3.WithRev(resp.Header.Revision+1))
	for e := range events {
		switch {
		case len(e.Events) > 0, e.CompactRevision > 0:
			return nil
		case e.Err() != nil:
			return unsent(ctx, e.Err())
		}
	}
	if err := ctx.Err(); err != nil {
		return wrap(ctx, nil, err)
	}
	return driver.ErrUnavailable // the client was closed
}
