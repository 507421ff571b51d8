package keys

import (
	"errors"

	"github.com/hashicorp/consul/api"
)

// noted keeps, beside a lock of the client library, a note of who holds it.
type noted struct {
	client *api.Client
	path   string
	lock   *api.Lock
	lost   <-chan struct{}
}

func (n *noted) lockPath() string { return "locks/" + n.path }

func (n *noted) putNote(text string) error {
	_, err := n.client.KV().Put(&api.KVPair{Key: n.lockPath() + "/.lockinfo", Value: []byte(text)}, nil)
	return err
}

func (n *noted) Lock(session, text string) error {
	lock, err := n.client.LockOpts(&api.LockOptions{Key: n.lockPath() + "/.lock", Session: session})
	if err != nil {
		return err
	}
	n.lock = lock
	if n.lost, err = n.lock.Lock(nil); err != nil {
		return err
	}
	if n.lost == nil {
		return errors.New("locked")
	}
	return nil
}

// Unlock removes the note, which frees nothing. Where this process holds no
// handle, it was told to break the lock of somebody else.
func (n *noted) Unlock(session string) error {
	if n.lock == nil || n.lost == nil {
		if _, err := n.client.Session().Destroy(session, nil); err != nil {
			return err
		}
		if _, err := n.client.KV().Delete(n.lockPath()+"/.lock", nil); err != nil {
			return err
		}
		_, err := n.client.KV().Delete(n.lockPath()+"/.lockinfo", nil)
		return err
	}
	if _, err := n.client.KV().Delete(n.lockPath()+"/.lockinfo", nil); err != nil {
		return err
	}
	return n.lock.Unlock()
}

// unlockHard deletes the lock itself, held or not.
func (n *noted) unlockHard() error {
	_, err := n.client.KV().Delete(n.lockPath()+"/.lock", nil) // want `^keyonlyrelease`
	return err
}
