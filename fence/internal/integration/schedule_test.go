package integration

import (
	"context"
	"testing"

	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// lanes are more than cores: they wait for the server.
const lanes = 12

func worlds(t *testing.T, s *stores.Store) proof.World {
	put := func(ctx context.Context, key, value string) error { return s.Put(ctx, s.DB, key, value) }
	return func(_ int, _ fencetest.Plan, failover bool) (fencetest.World, error) {
		return proof.NewWorld(s.TxHarness(t), s.LockHarness(t), put, 1, failover), nil
	}
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	n := proof.Count(t, "FENCE_SCHEDULES", 24)
	onEach(t, func(t *testing.T, k kind) {
		proof.Schedules(t, n, lanes, worlds(t, open(t, k.new(t, patient))))
	})
}

func TestControlsLose(t *testing.T) {
	t.Parallel()
	n := 2 * proof.Count(t, "FENCE_CONTROLS", 40)
	onEach(t, func(t *testing.T, k kind) {
		proof.ControlsLose(t, n, lanes, worlds(t, open(t, k.new(t, patient))))
	})
}
