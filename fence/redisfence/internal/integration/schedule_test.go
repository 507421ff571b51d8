package integration

import (
	"testing"

	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
	"github.com/fencelint/fencelint/fence/redisfence"
)

// lanes are more than cores: they wait for the server.
const lanes = 12

// worlds have keys and a counter of their own. A failover loses tokens under the
// same issuer, or, where the issuer is the server, replaces the issuer.
func worlds(t *testing.T) proof.World {
	client := newClient(t, sharedServer(t).Addr())
	prefix := newPrefix()
	return func(_ int, p fencetest.Plan, failover bool) (fencetest.World, error) {
		var named []redisfence.Option
		if p.Seed%3 == 0 {
			named = append(named, redisfence.WithIssuer("locks"))
		}
		s, err := openStore(client, prefix, p.Name, named...)
		if err != nil {
			return fencetest.World{}, err
		}
		return proof.NewWorld(s.guardHarness(), s.lockHarness(), s.put, 1, failover), nil
	}
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	proof.Schedules(t, proof.Count(t, "FENCE_SCHEDULES", 48), lanes, worlds(t))
}

func TestControlsLose(t *testing.T) {
	t.Parallel()
	proof.ControlsLose(t, 2*proof.Count(t, "FENCE_CONTROLS", 60), lanes, worlds(t))
}
