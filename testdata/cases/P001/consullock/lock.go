// Package consullock is the implementation behind the Locker of case P001.
package consullock

import "github.com/hashicorp/consul/api"

type Locker struct {
	kv      *api.KV
	session string
}

func New(c *api.Client) (*Locker, error) {
	id, _, err := c.Session().Create(&api.SessionEntry{Name: "inventory", TTL: "15s", Behavior: api.SessionBehaviorDelete}, nil)
	return &Locker{kv: c.KV(), session: id}, err
}

func path(resource string) string { return "locks/" + resource }

func (l *Locker) TryLock(resource string) (bool, error) {
	ok, _, err := l.kv.Acquire(&api.KVPair{Key: path(resource), Session: l.session}, nil)
	return ok, err
}

func (l *Locker) Unlock(resource string) error {
	_, err := l.kv.Delete(path(resource), nil) // want `keyonlyrelease \(keyonly\)`
	return err
}
