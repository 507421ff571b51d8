package integration

import (
	"testing"

	"github.com/fencelint/fencelint/fence/internal/integration/proof"
)

func TestHistories(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		h := open(t, k.new(t, patient)).ExecHarness(t)
		proof.Histories(t, proof.Count(t, "FENCE_HISTORIES", 20), h, h, h, h)
	})
}
