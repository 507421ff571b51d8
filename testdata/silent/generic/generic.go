// Package generic deletes whatever key it is told, and binds keys to sessions by
// a lock that nobody waits for.
package generic

import (
	"strings"

	"github.com/hashicorp/consul/api"
)

// Pair is one key with its value.
type Pair struct {
	Key   string
	Value []byte
}

type store struct {
	client *api.Client
}

func normal(key string) string { return strings.TrimPrefix(key, "/") }

// bind lets a key go with its session.
func (s *store) bind(pair *Pair, session string) (<-chan struct{}, error) {
	lock, err := s.client.LockOpts(&api.LockOptions{Key: pair.Key, Session: session})
	if err != nil {
		return nil, err
	}
	return lock.Lock(nil)
}

// Delete removes a key.
func (s *store) Delete(key string) error {
	_, err := s.client.KV().Delete(normal(key), nil)
	return err
}

// Bind lets a key go with a session.
func (s *store) Bind(key, session string) (<-chan struct{}, error) {
	return s.bind(&Pair{Key: normal(key)}, session)
}
