package integration

import (
	"testing"

	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
)

// TestHistories: each client talks to one of three members.
func TestHistories(t *testing.T) {
	t.Parallel()
	c := start(t, built(t), 3)
	prefix := unused()
	var clients []*fencetest.GuardHarness
	for i := range 4 {
		s := over(t, dial(t, c.Endpoints()[i%3]), prefix)
		clients = append(clients, s.guardHarness(s.write))
	}
	proof.Histories(t, proof.Count(t, "FENCE_HISTORIES", 10), clients...)
}

// TestSameAsMemory: the guard counts the versions of a key where it issues
// tokens, so those begin near zero.
func TestSameAsMemory(t *testing.T) {
	t.Parallel()
	s := open(t)
	proof.SameAsMemory(t, s.guardHarness(s.write), 0, 7)
}
