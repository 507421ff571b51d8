package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// patience bounds a start, and the search for a leader. Only a broken server,
// or a machine that is loaded many times over, comes near it.
const patience = 3 * time.Minute

// A Cluster is a group of members. Its methods are for one goroutine.
type Cluster struct {
	Members []*Member
	Token   string // initial-cluster-token

	dir    string
	client *clientv3.Client // of its own, for what tests ask about the cluster
}

// Start starts a cluster of n members and waits until it answers.
func Start(b Binary, n int) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "fence-etcd-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, Token: "fence"}
	for i := range n {
		m, err := newMember(b, fmt.Sprintf("m%d", i), dir)
		if err != nil {
			return nil, err
		}
		c.Members = append(c.Members, m)
	}
	return c, c.start()
}

// start starts all members on the data they have.
func (c *Cluster) start() error {
	for _, m := range c.Members {
		m.peers, m.token = c.peers(), c.Token
		if err := m.spawn(); err != nil {
			c.Stop()
			return err
		}
	}
	var err error
	if c.client, err = NewClient(c.Endpoints()...); err == nil {
		err = c.Ready()
	}
	if err != nil {
		logs := c.logs()
		c.Stop()
		return fmt.Errorf("start etcd: %w\n%s", err, logs)
	}
	return nil
}

func (c *Cluster) peers() string {
	var all []string
	for _, m := range c.Members {
		all = append(all, m.name+"="+m.peerURL())
	}
	return strings.Join(all, ",")
}

// Endpoints are the client addresses of all members.
func (c *Cluster) Endpoints() []string {
	var all []string
	for _, m := range c.Members {
		all = append(all, m.Address())
	}
	return all
}

// Ready waits until the cluster answers a linearizable read.
func (c *Cluster) Ready() error {
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		_, err = c.client.Get(ctx, "ready")
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

// Leader waits until all running members agree on a leader.
func (c *Cluster) Leader() (*Member, error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if m := c.leader(); m != nil {
			return m, nil
		}
	}
	return nil, errors.New("etcd has no leader")
}

func (c *Cluster) leader() *Member {
	var found *Member
	for _, m := range c.Members {
		if m.cmd == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		s, err := c.client.Status(ctx, m.Address())
		cancel()
		if err != nil || s.Leader == 0 {
			return nil
		}
		if s.Leader == s.Header.MemberId {
			if found != nil {
				return nil
			}
			found = m
		}
	}
	return found
}

// Stop ends all members and removes their data.
func (c *Cluster) Stop() {
	c.halt()
	_ = os.RemoveAll(c.dir)
}

func (c *Cluster) halt() {
	if c.client != nil {
		_ = c.client.Close()
		c.client = nil
	}
	for _, m := range c.Members {
		m.Kill()
	}
}

func (c *Cluster) logs() string {
	var all strings.Builder
	for _, m := range c.Members {
		b, _ := os.ReadFile(m.log())
		all.Write(b[max(0, len(b)-2000):])
	}
	return all.String()
}

// NewClient opens a client. It says nothing.
func NewClient(endpoints ...string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
}

// freePort finds a loopback TCP port that is free now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }
