package integration

import (
	"testing"

	"github.com/fencelint/fencelint/fence/internal/integration/proof"
)

func TestHistories(t *testing.T) {
	t.Parallel()
	h := newStore(t, newClient(t, sharedServer(t).Addr())).guardHarness()
	proof.Histories(t, proof.Count(t, "FENCE_HISTORIES", 40), h, h, h, h)
}
