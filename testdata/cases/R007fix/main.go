// Case R007, fixed: the delete is a transaction on the revision that was observed.
// Nothing to flag.
package main

import (
	"context"
	"log"

	"github.com/fencelint/fencelint/testdata/cases/R007fix/election"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func main() {
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	l := &election.Leadership{Cli: cli, Key: "/pd/leader"}
	who, rev, err := l.Observed(ctx)
	if err == nil && who == "pd-1" {
		err = l.ClearAt(ctx, rev)
	}
	log.Println(err)
}
