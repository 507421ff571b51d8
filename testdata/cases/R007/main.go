// Case R007: after a restart the node sees its own name in the leader key and cleans it
// up. The delete names only the key, so a leader elected between the read and the delete
// loses its key.
// To flag: the etcd Delete in the helper package (election.Clear); the read of the owner
// and the delete lie in different packages.
package main

import (
	"context"
	"log"

	"github.com/fencelint/fencelint/testdata/cases/R007/election"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func main() {
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	l := &election.Leadership{Cli: cli, Key: "/pd/leader"}
	who, _, err := l.Observed(ctx)
	if err == nil && who == "pd-1" {
		err = l.Clear(ctx)
	}
	log.Println(err)
}
