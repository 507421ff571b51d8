package leaseloss_test

import (
	"testing"

	"github.com/fencelint/fencelint/passes/internal/ruletest"
	"github.com/fencelint/fencelint/passes/leaseloss"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	ruletest.Run(t, leaseloss.Analyzer, "kinds/further/leaseloss")
	ruletest.Run(t, leaseloss.Analyzer, "silent/further")
}
