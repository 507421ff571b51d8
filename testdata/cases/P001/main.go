// Case P001: the lock is a Consul key that belongs to a session with a TTL. Unlock deletes
// the key by its path; once the session has ended and another node holds the key, the late
// delete frees that node.
// To flag: the KV Delete in package consullock, only reached through the Locker interface.
// The job itself reads and logs.
package main

import (
	"log"

	"github.com/fencelint/fencelint/testdata/cases/P001/consullock"
	"github.com/hashicorp/consul/api"
)

type Locker interface {
	TryLock(resource string) (bool, error)
	Unlock(resource string) error
}

func countShelves(l Locker) error {
	ok, err := l.TryLock("inventory")
	if err != nil || !ok {
		return err
	}
	defer func() { _ = l.Unlock("inventory") }()
	log.Println("counting shelves")
	return nil
}

func main() {
	c, err := api.NewClient(api.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	l, err := consullock.New(c)
	if err != nil {
		log.Fatal(err)
	}
	log.Println(countShelves(l))
}
