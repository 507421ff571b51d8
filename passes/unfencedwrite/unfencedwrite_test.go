package unfencedwrite_test

import (
	"testing"

	"github.com/fencelint/fencelint/passes/internal/ruletest"
	"github.com/fencelint/fencelint/passes/unfencedwrite"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	ruletest.Run(t, unfencedwrite.Analyzer, "unfencedwrite")
}
