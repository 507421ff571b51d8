// Package nearer works under a lease and calls what takes a nearer one.
package nearer

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/fencelint/fencelint/testdata/kinds/nearer/inner"
)

type plans struct {
	locks     *redislock.Client
	approvals *inner.Approvals
}

// approve changes nothing itself: the change is told where the nearer lease is.
func (p *plans) approve(ctx context.Context, user string) error {
	lock, err := p.locks.Obtain(ctx, "plan", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	return p.approvals.Add(ctx, user)
}

// rewrite has no lease but its own around what it reads and stores.
func (p *plans) rewrite(ctx context.Context, user string) error {
	lock, err := p.locks.Obtain(ctx, "plan", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	users, err := p.approvals.All(ctx)
	if err != nil {
		return err
	}
	return p.approvals.Put(ctx, users+","+user) // want `^unfencedwrite \(rmw\)`
}
