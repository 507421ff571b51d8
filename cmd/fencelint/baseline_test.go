package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencelint/fencelint/internal/report"
	"github.com/stretchr/testify/require"
)

// oldFaults writes a module with 40 findings in five files that nobody has
// formatted, and returns its directory and the files.
func oldFaults(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "redis"), os.DirFS("testdata/redis")))
	write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.26\n\n"+
		"require github.com/redis/go-redis/v9 v9.0.0\n\nreplace github.com/redis/go-redis/v9 => ./redis\n")
	for _, pkg := range []string{"a", "b", "c", "d", "e"} {
		var text strings.Builder
		fmt.Fprintf(&text, "package %s\n\nimport (\n\t\"context\"\n\t\"time\"\n\n\t\"github.com/redis/go-redis/v9\"\n)\n", pkg)
		for i := range 4 {
			fmt.Fprintf(&text, `
func work%d(ctx context.Context, rdb *redis.Client, name string) error {
	ok, err := rdb.SetNX(ctx, "lock:"+name, 1, time.Minute).Result()
	if err != nil || !ok { return err }
	if name == "" { return rdb.Del( ctx,"lock:" + name ).Err() } // on one line, which gofmt makes three
  return rdb.Del(ctx,
       "lock:"+name).Err()
}
`, i)
		}
		file := filepath.Join(dir, pkg, pkg+".go")
		write(t, file, text.String())
		files = append(files, file)
	}
	return dir, files
}

// TestBaselineOfManyFindings lives through what happens to a project that has
// accepted its old findings.
func TestBaselineOfManyFindings(t *testing.T) {
	t.Parallel()
	dir, files := oldFaults(t)
	require.Len(t, lintIn(t, dir).findings, 40)
	require.Empty(t, lintIn(t, dir, "-write-baseline", "baseline.json").findings)
	silent := func(what string) {
		t.Helper()
		got := lintIn(t, dir, "-baseline", "baseline.json")
		require.Empty(t, got.findings, what)
		require.Empty(t, got.stderr, what)
	}
	silent("unchanged")

	for _, file := range files {
		text, err := format.Source([]byte(read(t, file)))
		require.NoError(t, err)
		require.NotEqual(t, read(t, file), string(text))
		write(t, file, string(text))
	}
	silent("formatted")

	for _, file := range files {
		text := strings.Replace(read(t, file), "\n\n", "\n"+strings.Repeat("// A line.\n", 50)+"\n", 1)
		text = strings.ReplaceAll(text, "error {\n", "error {\n"+strings.Repeat("\tprintln(name)\n", 100))
		write(t, file, text)
	}
	silent("after 100 lines and more above each of them")

	// A new fault that looks like the old ones, in a function that has some.
	moved := read(t, files[2])
	fault := "\tif name == \"new\" {\n\t\treturn rdb.Del(ctx, \"lock:\"+name).Err()\n\t}\n"
	write(t, files[2], strings.Replace(moved, "error {\n", "error {\n"+fault, 1))
	got := lintIn(t, dir, "-baseline", "baseline.json")
	require.Len(t, got.findings, 1)
	require.Equal(t, "c/c.go", got.findings[0].Location.Path)

	// And one in a function that is new.
	write(t, files[2], moved+strings.Replace("\nfunc work0(ctx context.Context, rdb *redis.Client, name string) error {\n"+fault+"\treturn nil\n}\n", "work0", "release", 1))
	got = lintIn(t, dir, "-baseline", "baseline.json")
	require.Len(t, got.findings, 1)
	require.Equal(t, strings.Count(moved, "\n")+4, got.findings[0].Location.Start.Line)

	// A fault that is repaired is told, but not by runs that did not look for it.
	repaired, _, ok := strings.Cut(moved, "\nfunc work3(")
	require.True(t, ok)
	write(t, files[2], repaired)
	got = lintIn(t, dir, "-baseline", "baseline.json")
	require.Empty(t, got.findings)
	require.Equal(t, 2, strings.Count(got.stderr, "fixed since the baseline: c/c.go: keyonlyrelease (keyonly)\n"))
	require.Contains(t, got.stderr, "2 of 40 entries of baseline.json are no longer needed")
	require.Empty(t, lintIn(t, dir, "-baseline", "baseline.json", "./a").stderr)
	require.Empty(t, lintIn(t, dir, "-baseline", "baseline.json", "-disable", "keyonlyrelease").stderr)

	// Written anew it holds everything, whatever else the run was told to leave out.
	require.Contains(t, lintIn(t, dir, "-baseline", "baseline.json", "-write-baseline", "baseline.json").stderr, "38 findings written")
	silent("written anew")
}

type linted struct {
	findings []report.Finding
	stderr   string
}

// lintIn runs fencelint in a directory; its status has to fit what it finds.
func lintIn(t *testing.T, dir string, args ...string) linted {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "fencelint", append([]string{"-format", "json"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	require.True(t, err == nil || errors.As(err, &exit) && exit.ExitCode() == exitFindings, "%v: %s", err, &stderr)
	doc := new(report.Document)
	require.NoError(t, json.Unmarshal(out, doc))
	require.Equal(t, err != nil, len(doc.Findings) > 0)
	return linted{doc.Findings, stderr.String()}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}
