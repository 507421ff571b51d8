package sessionlock_test

import (
	"testing"

	"github.com/fencelint/fencelint/passes/internal/ruletest"
	"github.com/fencelint/fencelint/passes/sessionlock"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	ruletest.Run(t, sessionlock.Analyzer, "kinds/further/sessionlock")
	ruletest.Run(t, sessionlock.Analyzer, "silent/further")
}
