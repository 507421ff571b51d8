// Package services registers services: their leases guard nothing.
package services

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

func register(ctx context.Context, cli *clientv3.Client, addr string) error {
	lease, err := cli.Grant(ctx, 30)
	if err != nil {
		return err
	}
	if _, err := cli.Put(ctx, "/services/"+addr, addr, clientv3.WithLease(lease.ID)); err != nil {
		return err
	}
	_, err = cli.KeepAlive(ctx, lease.ID)
	return err
}
