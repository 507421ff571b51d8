// Case P030: a loop campaigns and keeps a flag; the daily run looks at the flag and sends one message
// per customer. The flag lags behind the election: for a while two nodes are "primary", and each
// customer is billed twice.
// To flag: the SendMessage that hangs on isPrimary, which is set in another method.
package main

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type Node struct {
	etcd  *clientv3.Client
	queue *sqs.Client
	url   string

	mu        sync.RWMutex
	isPrimary bool
}

func (n *Node) set(v bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.isPrimary = v
}

func (n *Node) campaign(ctx context.Context, name string) error {
	sess, err := concurrency.NewSession(n.etcd, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer sess.Close()
	if err := concurrency.NewElection(sess, "/billing/primary").Campaign(ctx, name); err != nil {
		return err
	}
	n.set(true)
	defer n.set(false)
	select {
	case <-sess.Done():
	case <-ctx.Done():
	}
	return nil
}

func (n *Node) bill(ctx context.Context, customers []string) error {
	n.mu.RLock()
	primary := n.isPrimary
	n.mu.RUnlock()
	if !primary {
		return nil
	}
	day := time.Now().Format(time.DateOnly)
	for _, c := range customers {
		in := &sqs.SendMessageInput{QueueUrl: &n.url}
		in.MessageBody = aws.String(fmt.Sprintf(`{"customer":%q,"day":%q}`, c, day))
		if _, err := n.queue.SendMessage(ctx, in); err != nil { // want `ttlcheck \(ownercheck\)`
			return err
		}
	}
	return nil
}

func main() {
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	n := &Node{etcd: cli, queue: sqs.New(sqs.Options{}), url: "https://sqs.invalid/billing"}
	go n.campaign(context.Background(), "b1")
	log.Println(n.bill(context.Background(), []string{"acme"}))
}
