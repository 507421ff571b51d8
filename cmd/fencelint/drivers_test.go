package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fencelint/fencelint/internal/report"
	"github.com/stretchr/testify/require"
)

// TestDriversAgree runs the rules over the marked programs of testdata by
// themselves, under go vet, and under the golangci-lint with the plugin that
// FENCELINT_GOLANGCI_LINT names. All find the same, once they know what the run
// of the whole module has inferred. It compiles every client library, and so
// runs in ci/golangci only.
func TestDriversAgree(t *testing.T) {
	t.Parallel()
	golangci := os.Getenv("FENCELINT_GOLANGCI_LINT")
	if golangci == "" {
		t.Skip("ci/golangci runs it")
	}
	dir := corpus(t)
	var doc report.Document
	require.NoError(t, json.Unmarshal(runIn(t, dir, "fencelint", "-format", "json", "-tests=false"), &doc))
	require.Empty(t, doc.Errors)
	want := set{}
	for _, f := range doc.Findings {
		want.add(dir, filepath.Join(dir, f.Location.Path), f.Location.Start.Line, f.Rule+" ("+f.Category+")")
	}
	require.Greater(t, len(want), 100)
	inferred := runIn(t, dir, "fencelint", "models", "-infer", "-tests=false")

	t.Run("vet", func(t *testing.T) {
		write(t, filepath.Join(dir, "inferred.models"), string(inferred))
		write(t, filepath.Join(dir, ".fencelint.yml"), "models: [inferred.models]\n")
		fencelint, err := exec.LookPath("fencelint")
		require.NoError(t, err)
		require.Equal(t, want.sorted(), vetted(t, dir, fencelint).sorted())
	})
	t.Run("golangci-lint", func(t *testing.T) {
		settings := "          models: |\n"
		for line := range strings.Lines(string(inferred)) {
			settings += "            " + line
		}
		write(t, filepath.Join(dir, ".golangci.yml"), golangciHead+settings)
		require.Equal(t, want.sorted(), golangcied(t, dir, golangci).sorted())
	})
}

const golangciHead = `version: "2"
issues: {max-issues-per-linter: 0, max-same-issues: 0, uniq-by-line: false}
linters:
  default: none
  enable: [fencelint]
  settings:
    custom:
      fencelint:
        type: module
        settings:
`

// corpus copies the marked programs, without the package that draws in every
// client of the catalogue.
func corpus(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../testdata")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "clients")))
	return dir
}

// set holds findings as "path:line rule (category)".
type set map[string]bool

func (s set) add(dir, file string, line int, rule string) {
	if rel, err := filepath.Rel(dir, file); err == nil {
		file = rel
	}
	s[fmt.Sprintf("%s:%d %s", filepath.ToSlash(file), line, rule)] = true
}

func (s set) sorted() []string {
	var all []string
	for name := range s {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// ruleOf finds rule and category in a message: "rule (category): message", or
// in one of golangci-lint "rule: category: message".
var ruleOf = regexp.MustCompile(`^(\w+)(?: \(|: )(\w+)\)?: `)

func rule(t *testing.T, message string) string {
	t.Helper()
	m := ruleOf.FindStringSubmatch(message)
	require.NotNil(t, m, message)
	return m[1] + " (" + m[2] + ")"
}

// vetted returns what go vet finds.
func vetted(t *testing.T, dir, tool string) set {
	t.Helper()
	found := set{}
	d := json.NewDecoder(bytes.NewReader(runIn(t, dir, "go", "vet", "-json", "-vettool="+tool, "./...")))
	for {
		var packages map[string]map[string]json.RawMessage
		if err := d.Decode(&packages); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			require.NoError(t, err)
		}
		for _, analyzers := range packages {
			for _, raw := range analyzers {
				var diagnostics []struct{ Posn, Message string }
				require.NoError(t, json.Unmarshal(raw, &diagnostics), string(raw))
				for _, diagnostic := range diagnostics {
					place := regexp.MustCompile(`^(.*):(\d+):\d+$`).FindStringSubmatch(diagnostic.Posn)
					require.NotNil(t, place, diagnostic.Posn)
					var line int
					_, err := fmt.Sscan(place[2], &line)
					require.NoError(t, err)
					found.add(dir, place[1], line, rule(t, diagnostic.Message))
				}
			}
		}
	}
}

// golangcied returns what golangci-lint finds.
func golangcied(t *testing.T, dir, golangci string) set {
	t.Helper()
	var result struct {
		Issues []struct {
			Text string
			Pos  struct {
				Filename string
				Line     int
			}
		}
	}
	out := runIn(t, dir, golangci, "run", "--issues-exit-code=0", "--show-stats=false", "--tests=false",
		"--path-mode=abs", "--output.json.path=stdout", "./...")
	require.NoError(t, json.Unmarshal(out, &result))
	found := set{}
	for _, issue := range result.Issues {
		found.add(dir, issue.Pos.Filename, issue.Pos.Line, rule(t, issue.Text))
	}
	return found
}

// runIn runs a command alone in a module, which may end with the status of
// findings, and returns what it prints.
func runIn(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOLANGCI_LINT_CACHE="+filepath.Join(t.TempDir(), "cache"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFindings {
		require.NoError(t, err, stderr.String())
	}
	return out
}
