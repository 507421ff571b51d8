// Case P001, fixed: Unlock is a Release that names the session; Consul frees the key only if
// that session still holds it. Nothing to flag.
package main

import (
	"log"

	"github.com/fencelint/fencelint/testdata/cases/P001fix/consullock"
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
