// Package members looks like silent/members, and is not: the name is one that others
// have too, and the object that is sent has no version.
package members

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-redsync/redsync/v4"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
)

// A Member is one process.
type Member struct{ Zone, Addr string }

// Backend stores who the members are.
type Backend interface {
	Lock(value string) (*api.Lock, error)
	Put(m *Member) error
}

type backend struct{ client *api.Client }

func (b backend) Lock(value string) (*api.Lock, error) {
	return b.client.LockOpts(&api.LockOptions{Key: "members/lock", Value: []byte(value)})
}

func (b backend) Put(m *Member) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	pair := api.KVPair{Key: "members/leader/" + m.Zone, Value: data}
	_, err = b.client.KV().Put(&pair, nil)
	return err
}

type process struct {
	zone, addr string
	backend    Backend
	stop       chan struct{}
}

func newProcess(b Backend, zone, addr string) *process {
	return &process{zone: zone, addr: addr, backend: b, stop: make(chan struct{})}
}

func (p *process) lead() error {
	l, err := p.backend.Lock(p.addr)
	if err != nil {
		return err
	}
	lost, err := l.Lock(p.stop)
	if err != nil {
		return err
	}
	if err := p.backend.Put(&Member{Zone: p.zone, Addr: p.addr}); err != nil { // want `^unfencedwrite \(unfenced\)`
		return err
	}
	<-lost
	return l.Unlock()
}

type tracker struct {
	rdb    *redis.Client
	mutex  *redsync.Mutex
	client *http.Client
}

// begin says what the leader knows, under the name of its lock.
func (t *tracker) begin(ctx context.Context, state string) error {
	if err := t.mutex.LockContext(ctx); err != nil {
		return err
	}
	return t.rdb.Set(ctx, "state:"+t.mutex.Name(), state, 0).Err() // want `^unfencedwrite \(unfenced\)`
}

// An object has no version.
type object struct{ Name, Phase string }

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
	resp, err := t.client.Do(req) // want `^unfencedwrite \(external\)`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
