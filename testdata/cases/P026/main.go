// Case P026: the revision of the etcd mutex grows from holder to holder and is written into the NATS
// entry, but nobody compares it: Put takes whatever comes last, also from a stale holder.
// To flag: the Put in Save: a token that is only stored is a note, no fence.
package main

import (
	"context"
	"encoding/json"
	"log"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type Plan struct {
	Fence int64             `json:"fence"`
	Nodes map[string]string `json:"nodes"`
}

type PlanStore struct{ kv jetstream.KeyValue }

func (s *PlanStore) Save(ctx context.Context, p Plan) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = s.kv.Put(ctx, "plan.current", body) // want `unfencedwrite \(stored\)`
	return err
}

func replan(ctx context.Context, cli *clientv3.Client, store *PlanStore, nodes map[string]string) error {
	sess, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer sess.Close()
	m := concurrency.NewMutex(sess, "/planner/mutex")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	return store.Save(ctx, Plan{Fence: m.Header().Revision, Nodes: nodes})
}

func main() {
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	nc, _ := nats.Connect(nats.DefaultURL)
	js, _ := jetstream.New(nc)
	ctx := context.Background()
	kv, err := js.KeyValue(ctx, "plans")
	if err != nil {
		log.Fatal(err)
	}
	log.Println(replan(ctx, cli, &PlanStore{kv}, map[string]string{"n1": "web"}))
}
