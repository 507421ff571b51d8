package fence_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The module needs nothing but the standard library, its tests included.
func TestNoDependencies(t *testing.T) {
	t.Parallel()
	const module = "github.com/fencelint/fencelint/fence"
	out, err := exec.Command("go", "list", "-deps", "-test", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	packages := strings.Fields(string(out))
	own := 0
	for _, p := range packages {
		p = strings.TrimSuffix(p, ".test")
		if strings.HasPrefix(p, "[") { // of the form "p [p.test]"
			continue
		}
		if p != module && !strings.HasPrefix(p, module+"/") && !strings.HasPrefix(p, module+"_") {
			t.Errorf("depends on %s", p)
		}
		own++
	}
	if own < 4 {
		t.Errorf("only %d packages were listed: %s", own, out)
	}
	text, err := os.ReadFile("go.mod")
	if err != nil || strings.Contains(string(text), "require") || strings.Contains(string(text), "replace") {
		t.Errorf("go.mod: %v\n%s", err, text)
	}
}
