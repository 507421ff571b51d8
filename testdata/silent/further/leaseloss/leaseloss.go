// Package leaseloss ends its work when a lease is lost.
package leaseloss

import (
	"context"
	"log"
	"os"
	"sync/atomic"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-zookeeper/zk"
	"github.com/hashicorp/consul/api"
	"github.com/redis/rueidis/rueidislock"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"k8s.io/client-go/tools/leaderelection"
)

func work(ctx context.Context) { <-ctx.Done() }

func consulLock(l *api.Lock) error {
	lost, err := l.Lock(nil)
	if err != nil {
		return err
	}
	defer l.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		<-lost
		stop()
	}()
	work(ctx)
	return nil
}

func rueidisLock(ctx context.Context, l rueidislock.Locker) error {
	ctx, free, err := l.WithContext(ctx, "report")
	if err != nil {
		return err
	}
	defer free()
	work(ctx)
	return nil
}

func campaign(ctx context.Context, s *concurrency.Session, name string) error {
	e := concurrency.NewElection(s, "/leader")
	if err := e.Campaign(ctx, name); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		<-s.Done()
		stop()
	}()
	work(ctx)
	return e.Resign(context.WithoutCancel(ctx))
}

type member struct {
	c      *api.Client
	leader atomic.Bool
}

func (m *member) renew(session string, stop chan struct{}) {
	go func() {
		defer m.leader.Store(false)
		if err := m.c.Session().RenewPeriodic("15s", session, nil, stop); err != nil {
			log.Println("renew:", err)
		}
	}()
}

func (m *member) renewOrDie(session string, stop chan struct{}) {
	go func() {
		if err := m.c.Session().RenewPeriodic("15s", session, nil, stop); err != nil {
			log.Fatal("renew:", err)
		}
	}()
}

// A session that no lock hangs on.
func watch(conn *zk.Conn) error {
	again, _, err := zk.Connect([]string{"127.0.0.1"}, time.Second)
	if err != nil {
		return err
	}
	defer again.Close()
	_, _, err = again.Get("/config")
	return err
}

func refreshes(ctx context.Context, lock *redislock.Lock, stop func()) {
	defer stop()
	for range time.Tick(10 * time.Second) {
		if err := lock.Refresh(ctx, time.Minute, nil); err != nil {
			log.Println("refresh:", err)
			return
		}
	}
}

// It gives up after some failures.
func patient(ctx context.Context, lock *redislock.Lock, stop func()) {
	failed := 0
	for range time.Tick(10 * time.Second) {
		if err := lock.Refresh(ctx, time.Minute, nil); err != nil {
			failed++
			if failed > 2 {
				stop()
				return
			}
			continue
		}
		failed = 0
	}
}

// The work begins again when the lock was lost.
func beginsAgain(mu *redsync.Mutex, restart func()) {
	for range time.Tick(10 * time.Second) {
		if ok, err := mu.Extend(); err != nil || !ok {
			if err := mu.Lock(); err != nil {
				log.Println("lock:", err)
				continue
			}
			restart()
		}
	}
}

func elect(ctx context.Context) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { work(ctx) },
			OnStoppedLeading: func() { log.Println("stopped leading") },
		},
	})
}

type server struct{ leader atomic.Bool }

func (s *server) flag(ctx context.Context) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { s.leader.Store(true) },
			OnStoppedLeading: func() { s.leader.Store(false) },
		},
	})
}

func exits(ctx context.Context, s *server) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { s.leader.Store(true); work(ctx) },
			OnStoppedLeading: func() { os.Exit(1) },
		},
	})
}

// The context of the session lives as long as the caller wants.
func lock(ctx context.Context, cli *clientv3.Client) (*concurrency.Mutex, error) {
	s, err := concurrency.NewSession(cli, concurrency.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	mu := concurrency.NewMutex(s, "/report")
	return mu, mu.Lock(ctx)
}

// Work and session end together.
func bounded(cli *clientv3.Client) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := concurrency.NewSession(cli, concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	defer s.Close()
	mu := concurrency.NewMutex(s, "/report")
	if err := mu.Lock(ctx); err != nil {
		return err
	}
	defer mu.Unlock(context.WithoutCancel(ctx))
	work(ctx)
	return nil
}
