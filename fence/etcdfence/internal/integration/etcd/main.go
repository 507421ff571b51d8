// Command etcd is the server of the version that go.mod names, for the tests.
// As "etcd restore" it makes a data directory from a snapshot, as etcdutl does;
// see restore.go.
package main

import (
	"fmt"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "restore" {
		if err := restore(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	etcdmain.Main(os.Args)
}
