package integration

import (
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
)

func TestSameAsMemory(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		proof.SameAsMemory(t, open(t, k.new(t, patient)).TxHarness(t), 0, driver.MaxToken-3)
	})
}
