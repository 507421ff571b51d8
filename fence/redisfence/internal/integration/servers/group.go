package servers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Replica starts a replica and waits until it has all that its primary has.
func Replica(tb testing.TB, primary *Server, args ...string) *Server {
	tb.Helper()
	r := Start(tb, append([]string{"--replicaof", fmt.Sprintf("127.0.0.1 %d", primary.Port)}, args...)...)
	await(tb, "the replica to follow", func(ctx context.Context) bool {
		info, err := r.Client(tb).Info(ctx, "replication").Result()
		return err == nil && strings.Contains(info, "master_link_status:up")
	})
	return r
}

// CaughtUp waits until replica has what primary has now.
func CaughtUp(tb testing.TB, primary, replica *redis.Client) {
	tb.Helper()
	await(tb, "the replica to catch up", func(ctx context.Context) bool {
		p, errP := primary.Info(ctx, "replication").Result()
		r, errR := replica.Info(ctx, "replication").Result()
		return errP == nil && errR == nil && field(p, "master_repl_offset") == field(r, "slave_repl_offset")
	})
}

func field(info, name string) string {
	_, rest, _ := strings.Cut(info, name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// Cut parts a replica from its primary for good: it keeps what it has.
func Cut(tb testing.TB, replica *redis.Client) {
	tb.Helper()
	if err := replica.ReplicaOf(context.Background(), "127.0.0.1", "1").Err(); err != nil {
		tb.Fatalf("cut the replication: %v", err)
	}
}

// Promote makes a replica a primary.
func Promote(tb testing.TB, replica *redis.Client) {
	tb.Helper()
	if err := replica.ReplicaOf(context.Background(), "NO", "ONE").Err(); err != nil {
		tb.Fatalf("promote the replica: %v", err)
	}
}

// SentinelMaster is the name under which Sentinel knows the primary.
const SentinelMaster = "main"

// Sentinel starts a Sentinel that watches a primary, knows its one replica and
// promotes it when the primary does not answer for half a second.
func Sentinel(tb testing.TB, primary *Server) *Server {
	tb.Helper()
	dir := tb.TempDir()
	file := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor %[1]s 127.0.0.1 %[2]d 1\nsentinel down-after-milliseconds %[1]s 500\nsentinel failover-timeout %[1]s 5000\n", SentinelMaster, primary.Port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	s, err := start(nil, []string{"redis-server", file, "--sentinel"})
	Require(tb, err)
	tb.Cleanup(s.Stop)
	c := redis.NewSentinelClient(&redis.Options{Addr: s.Addr(), MaintNotificationsConfig: quiet()})
	defer c.Close()
	await(tb, "Sentinel to know the replica", func(ctx context.Context) bool {
		replicas, err := c.Replicas(ctx, SentinelMaster).Result()
		return err == nil && len(replicas) == 1 && replicas[0]["master-link-status"] == "ok"
	})
	return s
}

// A Cluster has three primaries, and one replica of each.
type Cluster struct{ Nodes []*Server } // primaries first; Nodes[i+3] follows Nodes[i]

// StartCluster starts a cluster and waits until all its slots are served.
func StartCluster(tb testing.TB) *Cluster {
	tb.Helper()
	c := &Cluster{}
	for range 6 {
		c.Nodes = append(c.Nodes, Start(tb, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
			"--cluster-node-timeout", "1000", "--cluster-replica-validity-factor", "0"))
	}
	ctx := context.Background()
	ids := make([]string, 3)
	for i, n := range c.Nodes {
		client := n.Client(tb)
		check(tb, client.Do(ctx, "cluster", "set-config-epoch", i+1).Err())
		check(tb, client.ClusterMeet(ctx, "127.0.0.1", strconv.Itoa(c.Nodes[0].Port)).Err())
		if i < 3 {
			first, last := i*16384/3, (i+1)*16384/3-1
			check(tb, client.ClusterAddSlotsRange(ctx, first, last).Err())
			id, err := client.ClusterMyID(ctx).Result()
			check(tb, err)
			ids[i] = id
		}
	}
	for i, n := range c.Nodes[3:] {
		client := n.Client(tb)
		await(tb, "the nodes to meet", func(ctx context.Context) bool {
			return client.ClusterReplicate(ctx, ids[i]).Err() == nil
		})
	}
	for _, n := range c.Nodes {
		client := n.Client(tb)
		await(tb, "the cluster to be whole", func(ctx context.Context) bool {
			info, err := client.ClusterInfo(ctx).Result()
			nodes, errNodes := client.ClusterNodes(ctx).Result()
			return err == nil && errNodes == nil && field(info, "cluster_state") == "ok" && field(info, "cluster_known_nodes") == "6" &&
				strings.Count(nodes, "slave") == 3
		})
	}
	for _, n := range c.Nodes[3:] {
		client := n.Client(tb)
		await(tb, "the replicas to follow", func(ctx context.Context) bool {
			info, err := client.Info(ctx, "replication").Result()
			return err == nil && field(info, "master_link_status") == "up"
		})
	}
	return c
}

// Addrs are the addresses of all nodes.
func (c *Cluster) Addrs() []string {
	var all []string
	for _, n := range c.Nodes {
		all = append(all, n.Addr())
	}
	return all
}

// Client makes a cluster client that is closed with the test.
func (c *Cluster) Client(tb testing.TB) *redis.ClusterClient {
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.Addrs(), MaintNotificationsConfig: quiet()})
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

// Of gives the index of the primary that has, or had at first, the slot of key.
func (c *Cluster) Of(tb testing.TB, key string) int {
	tb.Helper()
	slot, err := c.Nodes[5].Client(tb).ClusterKeySlot(context.Background(), key).Result()
	check(tb, err)
	for i := range 3 {
		if int(slot) < (i+1)*16384/3 {
			return i
		}
	}
	return 2
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// await polls until done.
func await(tb testing.TB, what string, done func(context.Context) bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for !done(ctx) {
		if ctx.Err() != nil {
			tb.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
