// Case P020: the holder looks at the session's Done channel without waiting and, if it is still
// open, puts the new route. The session may end right after the look, or have ended in the
// cluster while this client was cut off.
// To flag: the Put that hangs on the select with default.
package main

import (
	"context"
	"errors"
	"log"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type Router struct {
	cli  *clientv3.Client
	sess *concurrency.Session
	mu   *concurrency.Mutex
}

func (r *Router) stillUp() error {
	select {
	case <-r.sess.Done():
		return errors.New("session is gone")
	default:
		return nil
	}
}

func (r *Router) publish(ctx context.Context, prefix, via string) error {
	if err := r.stillUp(); err != nil {
		return err
	}
	_, err := r.cli.Put(ctx, "/routes/"+prefix, via) // want `ttlcheck \(lostsignal\)`
	return err
}

func run(ctx context.Context, cli *clientv3.Client) error {
	sess, err := concurrency.NewSession(cli, concurrency.WithTTL(8))
	if err != nil {
		return err
	}
	defer sess.Close()
	r := &Router{cli, sess, concurrency.NewMutex(sess, "/locks/routes")}
	if err := r.mu.Lock(ctx); err != nil {
		return err
	}
	defer r.mu.Unlock(context.WithoutCancel(ctx))
	return r.publish(ctx, "10.1.0.0/16", "gw-2")
}

func main() {
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	log.Println(run(context.Background(), cli))
}
