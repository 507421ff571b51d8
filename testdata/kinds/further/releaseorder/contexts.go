// Package releaseorder gives locks up too late or too early.
package releaseorder

import (
	"context"
	"net/http"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"go.etcd.io/etcd/client/v3/concurrency"
	"golang.org/x/sync/errgroup"
)

func work(context.Context) {}

func ofRequest(c *redislock.Client, w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	lock, err := c.Obtain(ctx, "balance", time.Minute, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer lock.Release(ctx) // want `releaseorder \(unlockcancelledctx\): redis Release is deferred on a context that may be over`
	work(ctx)
}

func withTimeLimit(mu *redsync.Mutex) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer func() {
		_, _ = mu.UnlockContext(ctx) // want `releaseorder \(unlockcancelledctx\)`
	}()
	work(ctx)
	return nil
}

func ofCaller(ctx context.Context, mu *concurrency.Mutex) error {
	if err := mu.Lock(ctx); err != nil {
		return err
	}
	defer mu.Unlock(ctx) // low: the caller may never cancel
	work(ctx)
	return nil
}

func ofGroup(c *redislock.Client) error {
	g, ctx := errgroup.WithContext(context.Background())
	lock, err := c.Obtain(ctx, "balance", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx) // want `releaseorder \(unlockcancelledctx\): redis Release is deferred on a context that a signal or the end of its group cancels`
	g.Go(func() error { work(ctx); return nil })
	return g.Wait()
}

type locks struct{ c *redislock.Client }

type held struct{ lock *redislock.Lock }

func (l *locks) take(ctx context.Context, key string) (*held, error) {
	lock, err := l.c.Obtain(ctx, key, time.Minute, nil)
	if err != nil {
		return nil, err
	}
	return &held{lock}, nil
}

func (h *held) free(ctx context.Context) error { return h.lock.Release(ctx) }

func throughHelpers(l *locks, r *http.Request) error {
	h, err := l.take(r.Context(), "balance")
	if err != nil {
		return err
	}
	defer h.free(r.Context()) // want `releaseorder \(unlockcancelledctx\)`
	work(r.Context())
	return nil
}
