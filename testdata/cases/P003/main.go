// Case P003: one ephemeral node per tenant is the lock, its name is the same for everybody. The
// session may expire and the client reconnect under a new one; the node is then somebody
// else's, and Drop deletes it with version -1.
// To flag: the Delete with -1 of the shared node; the handle comes out of a map.
package main

import (
	"errors"
	"log"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

type handle struct{ node string }

type TenantLocks struct {
	conn *zk.Conn
	mu   sync.Mutex
	held map[string]*handle
}

func (t *TenantLocks) Take(tenant string) (bool, error) {
	node, err := t.conn.Create("/locks/reindex/"+tenant, nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	if errors.Is(err, zk.ErrNodeExists) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held[tenant] = &handle{node: node}
	return true, nil
}

func (t *TenantLocks) Drop(tenant string) error {
	t.mu.Lock()
	h := t.held[tenant]
	delete(t.held, tenant)
	t.mu.Unlock()
	if h == nil {
		return nil
	}
	return t.conn.Delete(h.node, -1) // want `keyonlyrelease \(keyonly\)`
}

func main() {
	conn, _, err := zk.Connect([]string{"127.0.0.1"}, 8*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	t := &TenantLocks{conn: conn, held: map[string]*handle{}}
	if ok, err := t.Take("acme"); err == nil && ok {
		log.Println("index statistics of acme", t.Drop("acme"))
	}
}
