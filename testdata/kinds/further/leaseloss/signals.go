// Package leaseloss does not notice that its leases are lost.
package leaseloss

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis/rueidislock"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func work(context.Context) { time.Sleep(time.Second) }

func consulLock(l *api.Lock) error {
	_, err := l.Lock(nil) // want `leaseloss \(lostsignalignored\): consul Lock returns the news that the lease is lost`
	if err != nil {
		return err
	}
	defer l.Unlock()
	work(context.Background())
	return nil
}

func rueidisLock(ctx context.Context, l rueidislock.Locker) error {
	_, free, err := l.WithContext(ctx, "report") // want `leaseloss \(lostsignalignored\)`
	if err != nil {
		return err
	}
	defer free()
	work(ctx)
	return nil
}

func campaign(ctx context.Context, s *concurrency.Session, name string) error {
	e := concurrency.NewElection(s, "/leader")
	if err := e.Campaign(ctx, name); err != nil { // want `leaseloss \(lostsignalignored\): etcd Campaign leads until its session ends`
		return err
	}
	for ctx.Err() == nil {
		work(ctx)
	}
	return e.Resign(context.WithoutCancel(ctx))
}

func renewPeriodically(c *api.Client, session string, stop chan struct{}) {
	go c.Session().RenewPeriodic("15s", session, nil, stop) // want `leaseloss \(lostsignalignored\): consul RenewPeriodic returns when the lease is lost, and a go statement drops that`
}

func keepsAlive(ctx context.Context, cli *clientv3.Client, name string) (bool, error) {
	lease, err := cli.Grant(ctx, 30)
	if err != nil {
		return false, err
	}
	if _, err := cli.KeepAlive(ctx, lease.ID); err != nil { // want `leaseloss \(lostsignalignored\): etcd KeepAlive`
		return false, err
	}
	resp, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision("/lock/"+name), "=", 0)).
		Then(clientv3.OpPut("/lock/"+name, "", clientv3.WithLease(lease.ID))).Commit()
	if err != nil {
		return false, err
	}
	return resp.Succeeded, nil
}

func dropsRefresh(ctx context.Context, lock *redislock.Lock) {
	for range time.Tick(10 * time.Second) {
		lock.Refresh(ctx, time.Minute, nil) // want `leaseloss \(renewresultignored\): redis Refresh says whether the lease is still held`
	}
}

func logsRefresh(ctx context.Context, lock *redislock.Lock) {
	for range time.Tick(10 * time.Second) {
		if err := lock.Refresh(ctx, time.Minute, nil); err != nil { // want `leaseloss \(renewresultignored\): redis Refresh fails when the lease is lost, and that is only logged`
			log.Println("refresh:", err)
		}
	}
}

func takesAnew(mu *redsync.Mutex) {
	for range time.Tick(10 * time.Second) {
		if ok, err := mu.Extend(); err != nil || !ok {
			if err := mu.Lock(); err != nil { // want `leaseloss \(silentreacquire\): redis Lock takes the lock anew`
				log.Println("lock:", err)
			}
		}
	}
}

func option(rs *redsync.Redsync) *redsync.Mutex {
	return rs.NewMutex("report", redsync.WithSetNXOnExtend()) // want `leaseloss \(silentreacquire\)`
}

type owner struct {
	rdb *redis.Client
	me  string
}

func (o *owner) take(ctx context.Context) bool {
	return o.rdb.SetNX(ctx, "lock:owner", o.me, time.Minute).Val()
}

func (o *owner) renew(ctx context.Context) {
	for range time.Tick(10 * time.Second) {
		if err := o.rdb.Set(ctx, "lock:owner", o.me, time.Minute).Err(); err != nil { // want `leaseloss \(blindrenew\): redis Set renews the lock by writing it anew`
			return
		}
	}
}
