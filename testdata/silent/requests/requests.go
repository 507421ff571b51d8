// Package requests puts the keys of its locks, and other keys, into the same kind
// of request.
package requests

import "github.com/hashicorp/consul/api"

type session struct {
	client *api.Client
	id     string
}

// Lock takes whatever key it is told.
func (s *session) Lock(key string) (bool, error) {
	ok, _, err := s.client.KV().Acquire(&api.KVPair{Key: key, Session: s.id}, nil)
	return ok, err
}

// A note says how a service is.
type note struct{ service, node, health string }

// healthPath names what a node says of a service of its own.
func healthPath(service, node string) string { return "health/" + service + "/" + node }

// Say stores how a service is.
func (s *session) Say(n note) error {
	_, err := s.client.KV().Put(&api.KVPair{Key: healthPath(n.service, n.node), Value: []byte(n.health)}, nil)
	return err
}

// Clear removes what a node has said that says no more.
func (s *session) Clear(n note) error {
	_, err := s.client.KV().Delete(healthPath(n.service, n.node), nil)
	return err
}
