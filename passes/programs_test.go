package passes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/internal/report"
	"github.com/fencelint/fencelint/passes"
)

// programs are the folders of testdata that hold marked programs.
var programs = []string{"cases", "keyonlyrelease", "ttlcheck", "unfencedwrite", "kinds", "silent"}

// TestPrograms runs the linter, with the further passes, over the marked programs, which
// call the real clients. Interfaces are resolved across packages, which the
// tests of the single rules cannot do.
func TestPrograms(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("loads client libraries")
	}
	dir := programModule(t)
	wants := readWants(t, dir)
	require.Greater(t, len(wants), 100)
	doc := lint(t, dir, "-enable", "all")
	require.Empty(t, doc.Errors)

	unexpected := map[string]bool{}
	met := map[want]bool{}
	perWrite := map[place][]string{}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		at := placesOf(f)
		text := fmt.Sprintf("%s (%s): %s", f.Rule, f.Category, f.Message)
		hit := false
		for _, w := range wants {
			if slices.Contains(at, w.place) && w.pattern.MatchString(text) {
				met[w.want], hit = true, true
			}
		}
		name := fmt.Sprintf("%s %s (%s)", at[0], f.Rule, f.Category)
		if !hit {
			unexpected[name] = true
		}
		if slices.Contains(passes.Optional(), f.Rule) {
			continue // they tell of locks
		}
		last := at[len(at)-1]
		perWrite[last] = append(perWrite[last], name)
	}
	// One write, one finding.
	for at, names := range perWrite {
		for _, name := range names {
			if len(names) > 1 && !strings.HasPrefix(name, at.String()+" ") {
				unexpected[name] = true
			}
		}
	}
	missing := map[string]bool{}
	for _, w := range wants {
		if !met[w.want] {
			missing[w.want.String()] = true
		}
	}
	assert.Equal(t, sorted(maps.Keys(notYetFound)), sorted(maps.Keys(missing)), "marks without a finding; those that are known stand in notYetFound")
	assert.Equal(t, sorted(maps.Keys(notYetSilent)), sorted(maps.Keys(unexpected)), "findings without a mark, or beside another of the same write; those that are known stand in notYetSilent")
}

// TestLow keeps out of what is told by default what only names call a lock, and
// calls that the other side may well be made to get twice. Where that is asked
// for, it is found.
func TestLow(t *testing.T) {
	t.Parallel()
	doc := lint(t, programModule(t), "-confidence", "low", "./kinds/cleaned/...", "./kinds/said", "./kinds/lent")
	require.Empty(t, doc.Errors)
	told := map[string]string{}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		told[placesOf(f)[0].String()] = f.Rule + " " + f.Confidence
	}
	require.Equal(t, map[string]string{
		"kinds/cleaned/cleaned.go:46": "keyonlyrelease low",
		"kinds/lent/lent.go:106":      "unfencedwrite high",
		"kinds/lent/lent.go:157":      "ttlcheck low", // an RPC
		"kinds/lent/lent.go:171":      "unfencedwrite high",
		"kinds/lent/lent.go:185":      "ttlcheck low",
		"kinds/said/said.go:19":       "keyonlyrelease high",
		"kinds/said/said.go:39":       "keyonlyrelease low",
		"kinds/said/said.go:48":       "keyonlyrelease high",
		"kinds/said/said.go:55":       "keyonlyrelease low",
	}, told)
}

// A place is a line of a file of testdata.
type place struct {
	path string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.path, p.line) }

// A want is one mark.
type want struct {
	place
	text string
}

func (w want) String() string { return w.place.String() + " " + w.text }

type expectation struct {
	want
	pattern *regexp.Regexp
}

// placesOf returns the line of a finding and, if that is another one, the line
// of the write behind the call.
func placesOf(f *report.Finding) []place {
	at := []place{{f.Location.Path, f.Location.Start.Line}}
	for _, step := range f.Related {
		if step.Role == "write" {
			return append(at, place{step.Location.Path, step.Location.Start.Line})
		}
	}
	return at
}

var (
	mark    = regexp.MustCompile("// want (`.*)$")
	pattern = regexp.MustCompile("`([^`]*)`")
)

// readWants reads the marks below dir, in the form of analysistest.
func readWants(t *testing.T, dir string) []expectation {
	t.Helper()
	var wants []expectation
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(data), "\n") {
			m := mark.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			at := place{filepath.ToSlash(rel), i + 1}
			require.False(t, strings.Contains(strings.SplitN(at.path, "/", 3)[1], "fix"), "%s: a repaired program has no mark", at)
			for _, p := range pattern.FindAllStringSubmatch(m[1], -1) {
				wants = append(wants, expectation{want{at, p[1]}, regexp.MustCompile("^" + p[1])})
			}
		}
		return nil
	}))
	return wants
}

// programModule copies the programs, without the rest of their module, whose
// loading would take longer than theirs.
func programModule(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("..", "testdata", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	for _, name := range programs {
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("..", "testdata", name))))
	}
	return dir
}

// lint runs the linter in dir.
func lint(t *testing.T, dir string, args ...string) *report.Document {
	t.Helper()
	out := lintJSON(t, dir, args...)
	doc := new(report.Document)
	require.NoError(t, json.Unmarshal(out, doc))
	return doc
}

func lintJSON(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), append([]string{"-tests=false", "-format", "json"}, args...)...)
	cmd.Dir, cmd.Env = dir, alone(dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 { // there are findings
		err = nil
	}
	require.NoError(t, err, stderr.String())
	return out
}

// alone is the environment for the module in dir, which is no part of a workspace.
func alone(dir string) []string {
	mod := "mod"
	if _, err := os.Stat(filepath.Join(dir, "vendor")); err == nil {
		mod = "vendor"
	}
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod="+mod)
}

func sorted(names func(func(string) bool)) []string {
	return append([]string{}, slices.Sorted(names)...)
}
