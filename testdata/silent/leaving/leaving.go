// Package leaving removes the entry of a leader that only this member has made.
package leaving

import (
	"github.com/gofrs/uuid/v5"
	"github.com/hashicorp/consul/api"
)

type cluster struct {
	client *api.Client
	id     uuid.UUID
	stop   chan struct{}
}

func newCluster(client *api.Client) (*cluster, error) {
	id, err := uuid.NewV4()
	if err != nil {
		return nil, err
	}
	return &cluster{client: client, id: id, stop: make(chan struct{})}, nil
}

func (c *cluster) lead() error {
	ok, _, err := c.client.KV().Acquire(&api.KVPair{Key: "cluster/lock", Session: c.id.String()}, nil)
	if err != nil || !ok {
		return err
	}
	return c.unlockLeader()
}

// unlockLeader ends as leader.
func (c *cluster) unlockLeader() error {
	_, err := c.client.KV().Delete("cluster/leader/"+c.id.String(), nil)
	return err
}
