package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Save takes a snapshot of the cluster into a file and gives its path.
func (c *Cluster) Save(ctx context.Context, name string) (string, error) {
	r, err := c.client.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	defer r.Close()
	f, err := os.Create(c.path(name))
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(f, r); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// A Restoration says how a snapshot is restored, as the flags of etcdutl do.
type Restoration struct {
	Token string // of the cluster; "" keeps it, and with it the cluster's id
	Bump  uint64 // added to the revision, which is then marked as compacted
}

// Restore ends the cluster and starts it again with the data of a snapshot. Its
// program must be Built.
func (c *Cluster) Restore(path string, r Restoration) error {
	c.halt()
	if r.Token != "" {
		c.Token = r.Token
	}
	for _, m := range c.Members {
		if err := os.RemoveAll(m.dir); err != nil {
			return err
		}
		// The fields of snapshot.RestoreConfig, which the program etcd restores by:
		// linked in here, it would make every test binary a server.
		config, err := json.Marshal(map[string]any{
			"SnapshotPath": path, "Name": m.name, "OutputDataDir": m.dir,
			"PeerURLs": []string{m.peerURL()}, "InitialCluster": c.peers(), "InitialClusterToken": c.Token,
			"RevisionBump": r.Bump, "MarkCompacted": r.Bump > 0,
		})
		if err != nil {
			return err
		}
		if out, err := exec.Command(m.binary.Path, "restore", string(config)).CombinedOutput(); err != nil {
			return fmt.Errorf("restore %s: %w: %s", m.name, err, out)
		}
	}
	return c.start()
}
