package integration

import (
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
)

// TestSameAsMemory: tokens are also such that doubles cannot tell them apart.
func TestSameAsMemory(t *testing.T) {
	t.Parallel()
	s := newStore(t, newClient(t, sharedServer(t).Addr()))
	proof.SameAsMemory(t, s.guardHarness(), 0, 7, doubles, 1<<60, driver.MaxToken-3)
}
