package tokenissue_test

import (
	"testing"

	"github.com/fencelint/fencelint/passes/internal/ruletest"
	"github.com/fencelint/fencelint/passes/tokenissue"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	ruletest.Run(t, tokenissue.Analyzer, "kinds/further/tokenissue")
	ruletest.Run(t, tokenissue.Analyzer, "silent/further")
}
