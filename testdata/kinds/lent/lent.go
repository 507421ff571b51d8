package lent

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"google.golang.org/grpc"
)

// lockBook keeps one lock of the desk.
type lockBook struct {
	dial  func(ctx context.Context) (*grpc.ClientConn, error)
	name  string
	token string
	held  atomic.Bool
}

// withDesk runs fn with a client, as generated code has one write it.
func (b *lockBook) withDesk(ctx context.Context, fn func(DeskClient) error) error {
	return retry(func() error {
		conn, err := b.dial(ctx)
		if err != nil {
			return fmt.Errorf("dial the desk: %w", err)
		}
		defer conn.Close()
		return fn(NewDeskClient(conn))
	})
}

func retry(job func() error) (err error) {
	for range 3 {
		if err = job(); err == nil {
			return nil
		}
	}
	return err
}

func (b *lockBook) ask(ctx context.Context, d time.Duration) (refusal string, err error) {
	err = b.withDesk(ctx, func(desk DeskClient) error {
		reply, err := desk.DistributedLock(ctx, &LendRequest{Name: b.name, SecondsToLock: int64(d.Seconds()), RenewToken: b.token})
		if err == nil && reply != nil {
			b.token = reply.RenewToken
		} else {
			b.token = ""
		}
		if reply != nil {
			refusal = reply.Error
		}
		return err
	})
	return refusal, err
}

func (b *lockBook) take(ctx context.Context, d time.Duration) error {
	refusal, err := b.ask(ctx, d)
	if err != nil {
		return err
	}
	if refusal != "" {
		return errors.New(refusal)
	}
	b.held.Store(true)
	return nil
}

func (b *lockBook) giveBack(ctx context.Context) error {
	if !b.held.Swap(false) {
		return nil
	}
	return b.withDesk(ctx, func(desk DeskClient) error {
		_, err := desk.DistributedUnlock(ctx, &ReturnRequest{Name: b.name, RenewToken: b.token})
		return err
	})
}

func (b *lockBook) IsLocked() bool { return b.held.Load() }

type books struct {
	rdb  *redis.Client
	dial func(ctx context.Context) (*grpc.ClientConn, error)
}

// shortLived waits until it has the lock.
func (s *books) shortLived(ctx context.Context, name string) *lockBook {
	b := &lockBook{dial: s.dial, name: name}
	for b.token == "" {
		if err := b.take(ctx, 5*time.Second); err != nil {
			time.Sleep(time.Second)
		}
	}
	return b
}

func (s *books) add(ctx context.Context, name, page string) error {
	lock := s.shortLived(ctx, name)
	defer lock.giveBack(context.WithoutCancel(ctx))
	text, err := s.rdb.Get(ctx, "book:"+name).Result()
	if err != nil {
		return err
	}
	return s.rdb.Set(ctx, "book:"+name, text+page, 0).Err() // want `unfencedwrite \(rmw\)`
}

// shell keeps the lock from command to command, and asks itself.
type shell struct {
	lock   *lockBook
	noLock bool
	dial   func(ctx context.Context) (*grpc.ClientConn, error)
}

func (s *shell) lockForAll(ctx context.Context) error { return s.lock.take(ctx, time.Minute) }

func (s *shell) confirmIsLocked() error {
	if s.noLock {
		return nil
	}
	if s.lock.IsLocked() {
		return nil
	}
	return errors.New("take the lock first")
}

func (s *shell) drop(ctx context.Context, id uint32) error {
	if err := s.confirmIsLocked(); err != nil {
		return err
	}
	return newMover(s.dial).drop(ctx, id)
}

// mover reaches the desk through a func that a test may set.
type mover struct {
	withDesk func(ctx context.Context, fn func(DeskClient) error) error
}

func newMover(dial func(ctx context.Context) (*grpc.ClientConn, error)) *mover {
	return &mover{withDesk: func(ctx context.Context, fn func(DeskClient) error) error {
		conn, err := dial(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		return fn(NewDeskClient(conn))
	}}
}

func newMoverWith(f func(ctx context.Context, fn func(DeskClient) error) error) *mover {
	return &mover{withDesk: f}
}

func (m *mover) drop(ctx context.Context, id uint32) error {
	return m.withDesk(ctx, func(desk DeskClient) error {
		_, err := desk.DropVolume(ctx, &DropRequest{ID: id})
		return err
	})
}

// printLabels says print, but what it takes are no values to be logged.
func (s *books) printLabels(ctx context.Context, name string, pages ...string) {
	text, err := s.rdb.Get(ctx, "labels:"+name).Result()
	if err != nil {
		return
	}
	for _, page := range pages {
		text += page
	}
	s.rdb.Set(ctx, "labels:"+name, text, 0)
}

func (s *books) label(ctx context.Context, name string) {
	lock := s.shortLived(ctx, name)
	defer lock.giveBack(context.WithoutCancel(ctx))
	s.printLabels(ctx, name, "a", "b") // want `unfencedwrite \(rmw\)`
}

// dropAt makes the stub on the spot: what it does is told here, not in its body.
func (s *shell) dropAt(ctx context.Context, conn *grpc.ClientConn, id uint32) error {
	if err := s.confirmIsLocked(); err != nil {
		return err
	}
	_, err := NewDeskClient(conn).DropVolume(ctx, &DropRequest{ID: id})
	return err
}
