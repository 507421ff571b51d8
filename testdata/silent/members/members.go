// Package members keeps, beside the lock, what each member alone may name: records
// under the member's own id, reached through an interface, or under the value of
// the lock; and the record of the lock itself.
package members

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/gofrs/uuid/v5"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// A Member is one process.
type Member struct {
	ID   uuid.UUID
	Addr string
}

// Backend stores who the members are.
type Backend interface {
	Lock(value string) (Locker, error)
	Put(m *Member) error
	DeleteLeader(id uuid.UUID) error
}

// A Locker is the lock of the leader.
type Locker interface {
	Acquire(stop <-chan struct{}) (<-chan struct{}, error)
	Release() error
}

type backend struct{ client *api.Client }

func (b backend) Lock(value string) (Locker, error) {
	l, err := b.client.LockOpts(&api.LockOptions{Key: "members/lock", Value: []byte(value)})
	if err != nil {
		return nil, err
	}
	return lock{l}, nil
}

func (b backend) Put(m *Member) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	pair := api.KVPair{Key: "members/leader/" + m.ID.String(), Value: data}
	_, err = b.client.KV().Put(&pair, nil)
	return err
}

func (b backend) DeleteLeader(id uuid.UUID) error {
	_, err := b.client.KV().Delete("members/leader/"+id.String(), nil)
	return err
}

type lock struct{ *api.Lock }

func (l lock) Acquire(stop <-chan struct{}) (<-chan struct{}, error) { return l.Lock.Lock(stop) }
func (l lock) Release() error                                        { return l.Lock.Unlock() }

type process struct {
	id      uuid.UUID
	addr    string
	backend Backend
	stop    chan struct{}
}

func newProcess(b Backend, addr string) (*process, error) {
	id, err := uuid.NewV4()
	if err != nil {
		return nil, err
	}
	return &process{id: id, addr: addr, backend: b, stop: make(chan struct{})}, nil
}

func (p *process) lead() error {
	l, err := p.backend.Lock(p.id.String())
	if err != nil {
		return err
	}
	lost, err := l.Acquire(p.stop)
	if err != nil {
		return err
	}
	if err := p.backend.Put(&Member{ID: p.id, Addr: p.addr}); err != nil {
		return err
	}
	<-lost
	return l.Release()
}

// leave ends as leader.
func (p *process) leave() error { return p.backend.DeleteLeader(p.id) }

type tracker struct {
	rdb    *redis.Client
	mutex  *redsync.Mutex
	client *http.Client
	leads  bool
}

// beat says what the leader knows, under the value of its lock.
func (t *tracker) beat(ctx context.Context, state string) error {
	value, err := t.rdb.Get(ctx, "leader-lock").Result()
	if err != nil {
		return err
	}
	if ok, err := t.mutex.ExtendContext(ctx); err != nil || !ok {
		return err
	}
	return t.rdb.Set(ctx, fmt.Sprintf("state:%s", value), state, time.Minute).Err()
}

func (t *tracker) begin(ctx context.Context, state string) error {
	if err := t.mutex.LockContext(ctx); err != nil {
		return err
	}
	return t.rdb.Set(ctx, "state:"+t.mutex.Value(), state, time.Minute).Err()
}

// An object of a server that compares versions.
type object struct {
	Name            string
	ResourceVersion string
	Phase           string
}

// settle sends the object with the version that was read.
func (t *tracker) settle(ctx context.Context, o *object) error {
	if err := t.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer t.mutex.UnlockContext(context.WithoutCancel(ctx))
	o.Phase = "settled"
	return t.put(ctx, o.Name, o)
}

func (t *tracker) put(ctx context.Context, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://localhost/objects/"+name, bytes.NewReader(data))
	if err != nil {
		return err
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// An elected is one of those that wait in line, each under the id of its own lease.
type elected struct {
	client *clientv3.Client
	path   string
}

func (e *elected) enter(ctx context.Context) (bool, error) {
	lease, err := e.client.Grant(ctx, 30)
	if err != nil {
		return false, err
	}
	rev, err := e.line(ctx, lease.ID)
	if err != nil {
		return false, err
	}
	before, err := e.client.Get(ctx, e.path+"/", append(clientv3.WithLastRev(), clientv3.WithMaxModRev(rev-1))...)
	if err != nil {
		return false, err
	}
	return len(before.Kvs) == 0, nil
}

func (e *elected) line(ctx context.Context, id clientv3.LeaseID) (int64, error) {
	key := fmt.Sprintf("%s/%x", e.path, id)
	resp, err := e.client.Txn(ctx).If(clientv3.Compare(clientv3.Version(key), "=", 0)).
		Then(clientv3.OpPut(key, "", clientv3.WithLease(id))).Commit()
	if err != nil {
		e.client.Delete(context.WithoutCancel(ctx), key)
		return 0, err
	}
	return resp.Header.Revision, nil
}

// finish marshals the object on the spot.
func (t *tracker) finish(ctx context.Context, o *object) error {
	if err := t.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer t.mutex.UnlockContext(context.WithoutCancel(ctx))
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://localhost/objects/"+o.Name, bytes.NewReader(data))
	if err != nil {
		return err
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
