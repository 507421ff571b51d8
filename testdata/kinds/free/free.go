// Package free sends what it sends under a lease on other ways too, which take
// none: the lease is there for something else.
package free

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type flow struct {
	locks *redislock.Client
	rdb   *redis.Client
}

// Run tells the start of a flow. It takes no lease.
func (f *flow) Run(ctx context.Context) error { return f.tell(ctx, "started") }

// Pause changes the flow under a lease and tells that as well.
func (f *flow) Pause(ctx context.Context) error {
	lock, err := f.locks.Obtain(ctx, "flow", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	if err := f.store(ctx, "paused"); err != nil {
		return err
	}
	return f.tell(ctx, "paused")
}

// Reset forgets the lease, which makes that of Pause no less needed.
func (f *flow) Reset(ctx context.Context) error { return f.store(ctx, "new") }

func (f *flow) store(ctx context.Context, state string) error {
	return f.rdb.Set(ctx, "flow-data", state, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

func (f *flow) tell(ctx context.Context, state string) error {
	_, err := http.Post("http://127.0.0.1/hook", "text/plain", strings.NewReader(state))
	return err
}

// Pay is reached under the lease alone.
func (f *flow) Pay(ctx context.Context, sum string) error {
	lock, err := f.locks.Obtain(ctx, "flow", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	return f.transfer(sum)
}

func (f *flow) transfer(sum string) error {
	_, err := http.Post("http://127.0.0.1/pay", "text/plain", strings.NewReader(sum)) // want `^unfencedwrite \(external\)`
	return err
}

// send is a helper: what it is given elsewhere says nothing of what it is here.
func (f *flow) send(to, text string) error {
	_, err := http.Post("http://127.0.0.1"+to, "text/plain", strings.NewReader(text)) // want `^unfencedwrite \(external\)`
	return err
}

// Greet takes no lease.
func (f *flow) Greet(ctx context.Context) error { return f.send("/greet", "hello") }

// Order is sent under the lease alone.
func (f *flow) Order(ctx context.Context, goods string) error {
	lock, err := f.locks.Obtain(ctx, "flow", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	return f.send("/order", goods)
}

// board notes how things are; the ways to it that take no lease are as many.
type board struct{ rdb *redis.Client }

func (b *board) SetStatus(ctx context.Context, status string) error {
	return b.rdb.Set(ctx, "board-status", status, 0).Err()
}

func (b *board) SetLayout(ctx context.Context, layout string) error {
	return b.rdb.Set(ctx, "board-layout", layout, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

func (f *flow) Draw(ctx context.Context, b *board, layout string) error {
	lock, err := f.locks.Obtain(ctx, "flow", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	if err := b.SetStatus(ctx, "drawing"); err != nil {
		return err
	}
	return b.SetLayout(ctx, layout)
}

// Report and Import take no lease.
func Report(ctx context.Context, b *board) error { return b.SetStatus(ctx, "up") }

func Import(ctx context.Context, b *board, layout string) error { return b.SetLayout(ctx, layout) }
