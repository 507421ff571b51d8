package leaseloss

import (
	"context"
	"log"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"k8s.io/client-go/tools/leaderelection"
)

func onOuterContext(ctx context.Context, cfg leaderelection.LeaderElectionConfig) {
	cfg.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: func(_ context.Context) { work(ctx) }, // want `leaseloss \(leaderctxdropped\): the work of the leader drops the context`
		OnStoppedLeading: func() { log.Println("stopped leading") },
	}
	leaderelection.RunOrDie(ctx, cfg)
}

type server struct{ leader atomic.Bool }

func (s *server) elect(ctx context.Context) (*leaderelection.LeaderElector, error) {
	return leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				s.leader.Store(true)
				work(ctx)
			},
			OnStoppedLeading: func() { log.Println("stopped leading") }, // want `leaseloss \(lostsignalignored\): the end of the leadership leaves the flag of the leader set`
		},
	})
}

func (s *server) exits(ctx context.Context) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: s.lead,
			OnStoppedLeading: func() { os.Exit(1) },
		},
	})
}

func (s *server) lead(context.Context) { // want `leaseloss \(leaderctxdropped\)`
	work(context.Background())
}

func lockForRequest(cli *clientv3.Client, r *http.Request) (*concurrency.Mutex, error) {
	s, err := concurrency.NewSession(cli, concurrency.WithContext(r.Context())) // want `leaseloss \(keepalivectx\): etcd WithContext renews the lease on a context with a time limit`
	if err != nil {
		return nil, err
	}
	mu := concurrency.NewMutex(s, "/report")
	return mu, mu.Lock(r.Context())
}

func keptShort(cli *clientv3.Client, name string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	lease, err := cli.Grant(ctx, 30)
	if err != nil {
		return false, err
	}
	alive, err := cli.KeepAlive(ctx, lease.ID) // want `leaseloss \(keepalivectx\)`
	if err != nil {
		return false, err
	}
	go func() {
		for range alive {
		}
		log.Fatal("lease lost")
	}()
	resp, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision("/lock/"+name), "=", 0)).
		Then(clientv3.OpPut("/lock/"+name, "", clientv3.WithLease(lease.ID))).Commit()
	if err != nil {
		return false, err
	}
	return resp.Succeeded, nil
}
