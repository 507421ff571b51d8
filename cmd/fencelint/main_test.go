package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fencelint": main})
}

// TestScript runs the scripts of testdata/script: the command line, as users
// and other programs see it.
func TestScript(t *testing.T) {
	t.Parallel()
	goCache := output(t, "go", "env", "GOCACHE")
	stub, err := filepath.Abs("testdata/redis")
	if err != nil {
		t.Fatal(err)
	}
	fencelint, err := exec.LookPath("fencelint") // where testscript.Main put it
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := filepath.Abs("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("FENCELINT", fencelint)
			env.Setenv("HOOKS", hooks)
			env.Setenv("GOCACHE", goCache)
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "")
			env.Setenv("GOWORK", "off")
			env.Setenv("GITHUB_STEP_SUMMARY", "")
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			return os.CopyFS(filepath.Join(env.WorkDir, "redis"), os.DirFS(stub))
		},
	})
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
