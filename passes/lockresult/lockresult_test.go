package lockresult_test

import (
	"testing"

	"github.com/fencelint/fencelint/passes/internal/ruletest"
	"github.com/fencelint/fencelint/passes/lockresult"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	ruletest.Run(t, lockresult.Analyzer, "kinds/further/lockresult")
	ruletest.Run(t, lockresult.Analyzer, "silent/further")
}
