package ruletest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// Run compares what a rule reports on the programs in a folder of the module
// testdata, at the root of the repository, with their marks. It is called from
// the directory of a rule.
func Run(t *testing.T, rule *analysis.Analyzer, folder string) {
	t.Helper()
	if testing.Short() {
		t.Skip("loads client libraries")
	}
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	pattern := "./" + folder + "/..."
	// The test driver loads without a network: what is missing comes now.
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", pattern)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go list -deps %s: %v\n%s", pattern, err, out)
	}
	analysistest.Run(t, dir, rule, pattern)
}
