// Package integration proves package etcdfence on real etcd servers.
//
// Counts are small by default. FENCE_SCHEDULES, FENCE_STOPS, FENCE_KILLS and
// FENCE_FAILOVERS set the number of random schedules, of stopped processes, of
// killed members and of killed leaders, FENCE_HISTORIES and FENCE_CONTROLS those
// of recorded histories and of schedules that must lose; FENCE_SEED is the seed
// of the first schedule. FENCE_ETCD names a server program that was built from
// ./etcd before.
package integration

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/cluster"
	"github.com/fencelint/fencelint/fence/fencetest"
)

// TestMain ends the servers that the tests share, or is the child that a test
// has started.
func TestMain(m *testing.M) {
	if os.Getenv("FENCETEST_CHILD") != "" {
		fencetest.Main(m, map[string]fencetest.Role{"worker": workerRole})
	}
	code := m.Run()
	shared.stop()
	cluster.Remove()
	os.Exit(code)
}

// shared is the cluster of one member that tests use side by side, each below
// a prefix of its own.
var shared onlyOne

type onlyOne struct {
	once    sync.Once
	cluster *cluster.Cluster
	err     error
}

// built is the server of the module, without fsync.
func built(tb testing.TB) cluster.Binary {
	tb.Helper()
	b, err := cluster.Built()
	require.NoError(tb, err)
	return b.Quick()
}

// installed is the server of the distribution. Without one the test skips, and
// fails where CI=true, since there a skipped proof would look like a proof.
func installed(tb testing.TB) cluster.Binary {
	tb.Helper()
	b, err := cluster.Installed()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") != "true" {
		tb.Skip("needs the program etcd: install etcd-server")
	}
	require.NoError(tb, err)
	return b
}

func (o *onlyOne) get(tb testing.TB) *cluster.Cluster {
	tb.Helper()
	o.once.Do(func() {
		b := built(tb)
		// Histories are compacted all the time, as in production.
		b.Flags = append(b.Flags, "--auto-compaction-mode", "revision", "--auto-compaction-retention", "1000")
		o.cluster, o.err = cluster.Start(b, 1)
	})
	require.NoError(tb, o.err)
	return o.cluster
}

func (o *onlyOne) stop() {
	if o.cluster != nil {
		o.cluster.Stop()
	}
}

// start starts a cluster for one test.
func start(tb testing.TB, b cluster.Binary, members int) *cluster.Cluster {
	tb.Helper()
	c, err := cluster.Start(b, members)
	require.NoError(tb, err)
	tb.Cleanup(c.Stop)
	return c
}

// open makes an empty store on the shared cluster.
func open(tb testing.TB) *store {
	tb.Helper()
	return over(tb, dial(tb, shared.get(tb).Endpoints()...), unused())
}
