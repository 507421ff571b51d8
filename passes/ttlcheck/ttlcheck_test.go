package ttlcheck_test

import (
	"testing"

	"github.com/fencelint/fencelint/passes/internal/ruletest"
	"github.com/fencelint/fencelint/passes/ttlcheck"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	ruletest.Run(t, ttlcheck.Analyzer, "ttlcheck")
}
