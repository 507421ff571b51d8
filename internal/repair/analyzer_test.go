package repair

import (
	"bytes"
	"context"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/driver"
	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/report"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
)

// suite has one rule, which finds calls of bad and would call good, with an
// argument more, in their place.
var suite = driver.Suite{Analyzers: func(*models.Catalogue, func(string) bool) (flow *analysis.Analyzer, rules []*analysis.Analyzer) {
	flow = &analysis.Analyzer{Name: "flow", Doc: "do nothing", Run: func(*analysis.Pass) (any, error) { return nil, nil }}
	rule := &analysis.Analyzer{
		Name: "rule", Doc: "find calls of bad", Requires: []*analysis.Analyzer{flow}, ResultType: reflect.TypeFor[*finding.Result](),
		Run: func(pass *analysis.Pass) (any, error) {
			res := new(finding.Result)
			for _, file := range pass.Files {
				ast.Inspect(file, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "bad" {
						res.Findings = append(res.Findings, finding.Finding{
							Rule: "rule", Category: "call", Confidence: finding.High, Message: "bad is called", Pos: call.Lparen,
							Fixes: []analysis.SuggestedFix{{Message: "call good", TextEdits: []analysis.TextEdit{
								{Pos: id.Pos(), End: id.End(), NewText: []byte("good")},
								{Pos: call.Rparen, NewText: []byte(", owner")},
							}}},
						})
					}
					return true
				})
			}
			finding.Report(pass, res, finding.Medium)
			return res, nil
		},
	}
	return flow, []*analysis.Analyzer{rule}
}}

const faulty = `package a

func bad(key string)         {}
func good(key, owner string) {}

func f(key, owner string) {
	bad(key)
	_, _ = "äß", func() { bad("two words") }
}
`

// TestFixOfAnAnalyzer takes a fix all the way: from an analyzer through the
// driver to the formats that carry fixes, to reviewdog, and into the file.
func TestFixOfAnAnalyzer(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	file := filepath.Join(dir, "a.go")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/a\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(file, []byte(faulty), 0o600))
	find := func() *report.Document {
		t.Helper()
		out, err := driver.Run(context.Background(), driver.Options{Dir: dir, Root: dir, Config: config.Default(), Suite: suite})
		require.NoError(t, err)
		require.Empty(t, out.Document.Errors)
		return out.Document
	}
	doc := find()
	require.Len(t, doc.Findings, 2)
	written := func(format string) string {
		t.Helper()
		write, err := report.ForFormat(format)
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, write(&out, doc, report.Options{Dir: dir}))
		return out.String()
	}
	require.Contains(t, written("text"), "\tfix: call good\n")
	require.Equal(t, 2, strings.Count(written("json"), `"new": ", owner"`))
	// The columns of the second call: in bytes 24 to 39, in UTF-16 units two less.
	require.Contains(t, spaceless(written("sarif")), `"deletedRegion":{"startLine":8,"startColumn":24,"endLine":8,"endColumn":27},"insertedContent":{"text":"good"}`)
	suggestions := []string{
		`"suggestions":[{"range":{"start":{"line":7,"column":2},"end":{"line":7,"column":9}},"text":"good(key, owner"}]`,
		`"suggestions":[{"range":{"start":{"line":8,"column":26},"end":{"line":8,"column":41}},"text":"good(\"two words\", owner"}]`,
	}
	for _, s := range suggestions {
		require.Contains(t, written("rdjsonl"), s)
	}
	t.Run("reviewdog", func(t *testing.T) {
		if _, err := exec.LookPath("reviewdog"); err != nil && os.Getenv("CI") == "" {
			t.Skip("reviewdog is not installed")
		}
		for _, format := range []string{"rdjsonl", "sarif"} {
			cmd := exec.Command("reviewdog", "-f="+format, "-reporter=rdjsonl", "-filter-mode=nofilter")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(written(format))
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			require.Equal(t, 2, strings.Count(string(out), `"suggestions":[`), "%s: %s", format, out)
		}
	})

	changes, rest, err := Plan(dir, doc.Findings)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.Len(t, changes, 1)
	require.NoError(t, changes[0].Write(dir))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.NewReplacer("\tbad(key)", "\tgood(key, owner)", `{ bad("two words") }`, `{ good("two words", owner) }`).Replace(faulty), string(text))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Empty(t, find().Findings)
}

// spaceless drops what is only there for the eye.
func spaceless(json string) string {
	return strings.NewReplacer("\n", "", "  ", "", `": `, `":`).Replace(json)
}
