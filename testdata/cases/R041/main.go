// Case R041: the session is renewed in a goroutine whose error is only logged, and the
// answer of Acquire is taken as leadership for ever. Once the session is gone another node
// becomes leader; this one goes on.
// To flag: RenewPeriodic's result that leads to nothing (the leader flag stays true), and
// the check of the flag before the write: a stale local boolean.
package main

import (
	"log"
	"sync/atomic"

	"github.com/hashicorp/consul/api"
)

type member struct {
	c      *api.Client
	leader atomic.Bool
}

func (m *member) campaign(id string, done chan struct{}) error {
	sess, _, err := m.c.Session().Create(&api.SessionEntry{TTL: "10s"}, nil)
	if err != nil {
		return err
	}
	go func() {
		if err := m.c.Session().RenewPeriodic("10s", sess, nil, done); err != nil { // BUG other:lostsignalignored // want `leaseloss \(lostsignalignored\)`
			log.Println("renew:", err)
		}
	}()
	ok, _, err := m.c.KV().Acquire(&api.KVPair{Key: "service/leader", Value: []byte(id), Session: sess}, nil)
	m.leader.Store(err == nil && ok)
	return err
}

func (m *member) append(topic string, msg []byte) error {
	if !m.leader.Load() {
		return nil
	}
	_, err := m.c.KV().Put(&api.KVPair{Key: "log/" + topic, Value: msg}, nil) // want `ttlcheck \(ownercheck\)`
	return err
}

func main() {
	c, _ := api.NewClient(api.DefaultConfig())
	m := &member{c: c}
	_ = m.campaign("n1", make(chan struct{}))
	_ = m.append("t", []byte("x"))
}
