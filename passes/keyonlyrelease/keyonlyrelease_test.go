package keyonlyrelease_test

import (
	"testing"

	"github.com/fencelint/fencelint/passes/internal/ruletest"
	"github.com/fencelint/fencelint/passes/keyonlyrelease"
)

func TestPrograms(t *testing.T) {
	t.Parallel()
	ruletest.Run(t, keyonlyrelease.Analyzer, "keyonlyrelease")
}
