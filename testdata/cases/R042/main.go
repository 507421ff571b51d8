// Case R042: a ZooKeeper lock (ephemeral node) is held during slow work. The session events
// are thrown away, so the worker never learns that its node is gone, and the data node is
// written with version -1, which means "whatever is there".
// To flag: the dropped event channel, and the Set with version -1 under the lock.
package main

import (
	"log"
	"time"

	"github.com/go-zookeeper/zk"
)

func work(conn *zk.Conn) error {
	l := zk.NewLock(conn, "/locks/plan", zk.WorldACL(zk.PermAll))
	if err := l.Lock(); err != nil {
		return err
	}
	defer l.Unlock()
	plan := slowPlan()
	_, err := conn.Set("/data/plan", plan, -1) // want `unfencedwrite \(unfenced\)`
	return err
}

func slowPlan() []byte { time.Sleep(time.Minute); return []byte("plan") }

func main() {
	conn, _, err := zk.Connect([]string{"127.0.0.1"}, 10*time.Second) // BUG other:lostsignalignored // want `leaseloss \(lostsignalignored\)`
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	log.Println(work(conn))
}
