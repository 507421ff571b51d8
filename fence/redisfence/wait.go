package redisfence

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// Wait implements [driver.Waiter]. It hears of releases through a channel of
// the server, and of the end of the lease by its time. Those who wait for one
// lock through one Locker share a connection, which is closed when the last of
// them goes.
func (l *Locker) Wait(ctx context.Context, name string) error {
	if err := driver.WellFormedName("name", name); err != nil {
		return err
	}
	lock, err := l.lock(name)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return unsent(err)
	}
	b := l.bells.join(l.server, lock)
	defer l.bells.leave(b)
	select { // first listen, then look
	case <-b.listening:
	case <-b.deaf:
		return fmt.Errorf("%w: no subscription to %s", driver.ErrUnavailable, lock)
	case <-ctx.Done():
		return ctx.Err()
	}
	rung := b.next()
	got, err := l.server.ask(ctx, leftScript, []string{lock})
	if err != nil {
		return err
	}
	left, err := strconv.ParseInt(got.text(1), 10, 64)
	switch {
	case err != nil:
		return errAnswer
	case left < 0:
		return nil
	}
	t := time.NewTimer(time.Duration(left+1) * time.Millisecond)
	defer t.Stop()
	select {
	case <-rung:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// bells are the locks that somebody waits for through one Locker.
type bells struct {
	mu    sync.Mutex
	names map[string]*bell
}

// A bell rings when a lock is released.
type bell struct {
	lock      string
	listening chan struct{} // closed when the server has confirmed
	deaf      chan struct{} // closed when it has not
	stop      context.CancelFunc
	waiting   int // guarded by bells.mu

	mu   sync.Mutex
	rung chan struct{} // closed at the next ring
}

func (s *bells) join(server *server, lock string) *bell {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.names[lock]
	if b == nil {
		b = &bell{lock: lock, listening: make(chan struct{}), deaf: make(chan struct{}), rung: make(chan struct{})}
		// Not the context of the first who waits: others join.
		var ctx context.Context
		ctx, b.stop = context.WithCancel(context.Background())
		if s.names == nil {
			s.names = make(map[string]*bell)
		}
		s.names[lock] = b
		go b.listen(ctx, server)
	}
	b.waiting++
	return b
}

func (s *bells) leave(b *bell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.waiting--; b.waiting == 0 {
		delete(s.names, b.lock)
		b.stop()
	}
}

// confirmTimeout bounds the wait for the server's word that it will ring.
const confirmTimeout = 5 * time.Second

func (b *bell) listen(ctx context.Context, server *server) {
	subscribe := server.client.Subscribe
	if server.cluster != nil {
		subscribe = server.client.SSubscribe
	}
	sub := subscribe(ctx, b.lock)
	defer sub.Close()
	if _, err := sub.ReceiveTimeout(ctx, confirmTimeout); err != nil {
		close(b.deaf)
		return
	}
	close(b.listening)
	// The client subscribes again after the connection was lost. It may have
	// missed a release then, so that is a ring too.
	for rings := sub.ChannelWithSubscriptions(); ; {
		select {
		case _, open := <-rings:
			if !open {
				return
			}
			b.ring()
		case <-ctx.Done():
			return
		}
	}
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.rung)
	b.rung = make(chan struct{})
}

// next is closed at the next ring.
func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rung
}
