package integration

import (
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
)

// lanes are clusters. Only one schedule at a time runs on each, since lost tokens
// are counted in the cluster's revisions.
const lanes = 3

func worlds(t *testing.T) proof.World {
	var clients []*clientv3.Client
	for range lanes {
		clients = append(clients, dial(t, start(t, built(t), 1).Endpoints()...))
	}
	return func(lane int, _ fencetest.Plan, failover bool) (fencetest.World, error) {
		s := over(t, clients[lane], unused())
		h := s.lockHarness()
		h.Lose = s.lose
		return proof.NewWorld(s.guardHarness(s.write), h, s.put, 5, failover), nil
	}
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	proof.Schedules(t, proof.Count(t, "FENCE_SCHEDULES", 24), lanes, worlds(t))
}

func TestControlsLose(t *testing.T) {
	t.Parallel()
	proof.ControlsLose(t, 2*proof.Count(t, "FENCE_CONTROLS", 30), lanes, worlds(t))
}
