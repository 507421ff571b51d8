// Package stored sends its epoch along with what it writes, for nobody to
// compare.
package stored

import (
	"context"
	"fmt"
	"sync/atomic"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type server struct {
	cli   *clientv3.Client
	epoch atomic.Int64
	addr  string
}

func (s *server) lead(ctx context.Context, e *concurrency.Election) error {
	if err := e.Campaign(ctx, s.addr); err != nil { // want `leaseloss \(lostsignalignored\)`
		return err
	}
	defer e.Resign(context.WithoutCancel(ctx))
	if _, err := s.cli.Put(ctx, "/routing/default", s.addr); err != nil {
		return err
	}
	if err := s.route(ctx); err != nil {
		return err
	}
	_, err := s.cli.Put(ctx, "/routing/ready", "true")
	return err
}

func (s *server) route(ctx context.Context) error {
	value := fmt.Sprintf(`{"epoch":%d,"leader":%q}`, s.epoch.Load(), s.addr)
	_, err := s.cli.Put(ctx, "/routing/table", value) // want `unfencedwrite \(stored\)`
	return err
}
