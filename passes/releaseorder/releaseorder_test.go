package releaseorder_test

import (
	"testing"

	"github.com/fencelint/fencelint/passes/internal/ruletest"
	"github.com/fencelint/fencelint/passes/releaseorder"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	ruletest.Run(t, releaseorder.Analyzer, "kinds/further/releaseorder")
	ruletest.Run(t, releaseorder.Analyzer, "silent/further")
}
