// Package flags decides by what it remembers of an election.
package flags

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type worker struct {
	mu     sync.Mutex
	leader bool
	db     *sql.DB
}

func (w *worker) campaign(ctx context.Context, s *concurrency.Session, won func()) error {
	if err := concurrency.NewElection(s, "/jobs").Campaign(ctx, "me"); err != nil { // want `leaseloss \(lostsignalignored\)`
		return err
	}
	won()
	return nil
}

// The flag is set far from the election.
func (w *worker) won() {
	w.mu.Lock()
	w.leader = true
	w.mu.Unlock()
}

func (w *worker) run(ctx context.Context, s *concurrency.Session) error {
	return w.campaign(ctx, s, w.won)
}

func (w *worker) tick(ctx context.Context) error {
	w.mu.Lock()
	leader := w.leader
	w.mu.Unlock()
	if !leader {
		return nil
	}
	_, err := w.db.ExecContext(ctx, "UPDATE jobs SET runs = runs + 1 WHERE id = 1") // want `ttlcheck \(ownercheck\)`
	return err
}

// No word says lock: the flag that the answer sets does.
type auctioneer struct {
	rdb     *redis.Client
	primary atomic.Bool
}

func (a *auctioneer) coordinate(ctx context.Context, id string) error {
	ok, err := a.rdb.SetNX(ctx, "auctioneer.chosen", id, time.Minute).Result()
	if err != nil {
		return err
	}
	a.primary.Store(ok)
	return nil
}

func (a *auctioneer) stand(ctx context.Context) error {
	a.primary.Store(false)
	return a.rdb.Del(ctx, "auctioneer.chosen").Err() // want `keyonlyrelease \(keyonly\)`
}

var errStale = errors.New("another leader counts by now")

// What a refusing check does on its way out is not what it guards.
type controller struct {
	cli   *clientv3.Client
	epoch atomic.Int64
}

func (c *controller) current(ctx context.Context) error {
	resp, err := c.cli.Get(ctx, "/leader/epoch")
	if err != nil {
		return err
	}
	if got := resp.Kvs[0].Version; got != c.epoch.Load() {
		c.cli.Put(ctx, "/members/me", "follower")
		return errStale
	}
	return nil
}

func (c *controller) desire(ctx context.Context, value string) error {
	if err := c.current(ctx); err != nil {
		return err
	}
	_, err := c.cli.Put(ctx, "/desired", value) // want `ttlcheck \(tokencompare\)`
	return err
}

// One write that some reach by what they remember and others by the token: the
// token says most.
func (c *controller) observe(ctx context.Context, w *worker) error {
	if !w.leader {
		return nil
	}
	return c.place(ctx, "observed")
}

func (c *controller) move(ctx context.Context) error {
	if err := c.current(ctx); err != nil {
		return err
	}
	return c.place(ctx, "moved")
}

func (c *controller) place(ctx context.Context, value string) error {
	_, err := c.cli.Put(ctx, "/placement", value) // want `ttlcheck \(tokencompare\)`
	return err
}
