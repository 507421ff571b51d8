// Case P018: Consul counts every new ownership of a key in LockIndex, a good token. The worker reads
// the lock record again before it writes, compares the index in Go, and puts the data without it.
// To flag: the Put of the offset: the token is compared here and not by the store.
package main

import (
	"errors"
	"log"

	"github.com/hashicorp/consul/api"
)

var errDeposed = errors.New("the shard has a newer owner")

type ShardWorker struct {
	kv            *api.KV
	session, name string
	token         uint64
}

func (w *ShardWorker) lockPath() string { return "shards/" + w.name + "/lock" }

func (w *ShardWorker) Join() error {
	ok, _, err := w.kv.Acquire(&api.KVPair{Key: w.lockPath(), Session: w.session}, nil)
	if err != nil || !ok {
		return errors.Join(err, errDeposed)
	}
	w.token, err = w.current()
	return err
}

// current reads the index together with the session that it belongs to.
func (w *ShardWorker) current() (uint64, error) {
	pair, _, err := w.kv.Get(w.lockPath(), &api.QueryOptions{RequireConsistent: true})
	if err != nil || pair == nil || pair.Session != w.session {
		return 0, errors.Join(err, errDeposed)
	}
	return pair.LockIndex, nil
}

func (w *ShardWorker) Commit(offset []byte) error {
	now, err := w.current()
	if err != nil {
		return err
	}
	if now != w.token {
		return errDeposed
	}
	_, err = w.kv.Put(&api.KVPair{Key: "shards/" + w.name + "/offset", Value: offset}, nil) // want `ttlcheck \(tokencompare\)`
	return err
}

func main() {
	c, err := api.NewClient(api.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	id, _, err := c.Session().Create(&api.SessionEntry{TTL: "20s"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	w := &ShardWorker{kv: c.KV(), session: id, name: "7"}
	if err := w.Join(); err != nil {
		log.Fatal(err)
	}
	log.Println(w.Commit([]byte("42")))
}
