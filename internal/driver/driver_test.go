package driver

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/report"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
)

// calls is the fake flow: the calls of functions that are called Bad or that
// the catalogue knows as writes, and the functions that make them.
type calls struct {
	pkg     string
	sites   []token.Pos
	callers []string
}

func fakeFlow(cat *models.Catalogue) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "fakeflow", Doc: "find calls", ResultType: reflect.TypeFor[*calls](),
		Run: func(pass *analysis.Pass) (any, error) {
			res := &calls{pkg: pass.Pkg.Path()}
			for _, file := range pass.Files {
				for _, decl := range file.Decls {
					ast.Inspect(decl, func(n ast.Node) bool {
						call, ok := n.(*ast.CallExpr)
						if !ok {
							return true
						}
						id, ok := call.Fun.(*ast.Ident)
						if sel, isSel := call.Fun.(*ast.SelectorExpr); isSel {
							id, ok = sel.Sel, true
						}
						if !ok {
							return true
						}
						fn, ok := pass.TypesInfo.Uses[id].(*types.Func)
						if !ok {
							return true
						}
						if fn.Name() == "Explode" {
							panic("boom")
						}
						if fn.Name() == "Bad" || len(cat.Match(fn)) > 0 && cat.Match(fn)[0].Role == models.Write {
							res.sites = append(res.sites, call.Pos())
							res.callers = append(res.callers, decl.(*ast.FuncDecl).Name.Name)
						}
						return true
					})
				}
			}
			return res, nil
		},
	}
}

func fakeRule(flow *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "fake", Doc: "report calls", Requires: []*analysis.Analyzer{flow}, ResultType: reflect.TypeFor[*finding.Result](),
		Run: func(pass *analysis.Pass) (any, error) {
			res := new(finding.Result)
			for _, pos := range pass.ResultOf[flow].(*calls).sites {
				res.Findings = append(res.Findings, finding.Finding{
					Rule: "fake", Category: "call", Confidence: finding.Medium, Message: "bad call", Pos: pos, End: pos + 3,
					Related: []finding.Related{
						{Role: finding.Write, Message: "elsewhere", Position: token.Position{Filename: "/elsewhere/x.go", Line: 4}},
						{Role: finding.Release, Message: "nowhere"},
					},
				})
			}
			return res, nil
		},
	}
}

var fake = Suite{
	Analyzers: func(cat *models.Catalogue, enabled func(string) bool) (*analysis.Analyzer, []*analysis.Analyzer) {
		flow := fakeFlow(cat)
		var rules []*analysis.Analyzer
		if enabled("fake") {
			rules = append(rules, fakeRule(flow))
		}
		return flow, rules
	},
	Infer: func(results []any) []*models.Row {
		var rows []*models.Row
		for _, r := range results {
			for _, caller := range r.(*calls).callers {
				rows = append(rows, &models.Row{Pkg: r.(*calls).pkg, Name: caller, Role: models.Write})
			}
		}
		return rows
	},
}

// module writes a txtar archive to a directory and returns options to run on
// it, without tests: they would draw in half of the standard library.
func module(t *testing.T, archive string) Options {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, txtar.Write(txtar.Parse([]byte(archive)), dir))
	return Options{Dir: dir, Root: dir, Config: config.Default(), Suite: fake}
}

func run(t *testing.T, o Options) *Outcome {
	t.Helper()
	out, err := Run(context.Background(), o)
	require.NoError(t, err)
	return out
}

// lines returns "path:line" of the findings.
func lines(doc *report.Document) []string {
	var out []string
	for _, f := range doc.Findings {
		out = append(out, f.Location.Path+":"+strings.Repeat("I", f.Location.Start.Line))
	}
	return out
}

const chain = `
-- go.mod --
module example.com/m
go 1.26
-- low/low.go --
package low
func Bad() {}
func One() { Bad() }
-- mid/mid.go --
package mid
import "example.com/m/low"
func Two() { low.One() }
-- top/top.go --
package top
import "example.com/m/mid"
func Three() { mid.Two() }
func Idle() {}
`

func TestRunToFixpoint(t *testing.T) {
	t.Parallel()
	out := run(t, module(t, chain))
	require.Equal(t, []string{"low/low.go:III", "mid/mid.go:III", "top/top.go:III"}, lines(out.Document))
	require.Empty(t, out.Document.Errors)
	require.Equal(t, 4, out.Stats.Rounds, "three functions, each found a round after the one it calls, and one round without news")
	var rows []string
	for _, r := range out.Inferred {
		rows = append(rows, r.String())
	}
	require.ElementsMatch(t, []string{"example.com/m/low.One", "example.com/m/mid.Two", "example.com/m/top.Three"}, rows)
}

// TestRunSettles is given a suite that finds another row each time.
func TestRunSettles(t *testing.T) {
	t.Parallel()
	o, asked := module(t, chain), 0
	o.Suite.Infer = func([]any) []*models.Row {
		asked++
		return []*models.Row{{Pkg: "example.com/m/low", Name: []string{"One", "Bad"}[asked%2], Role: models.Write}}
	}
	o.Log = func(format string, _ ...any) { t.Error(format) }
	out := run(t, o)
	require.Less(t, out.Stats.Rounds, rounds)
	require.Len(t, out.Inferred, 2)
}

func TestPatternsChooseWhatIsReported(t *testing.T) {
	t.Parallel()
	o := module(t, chain)
	o.Patterns = []string{"./top"}
	out := run(t, o)
	require.Equal(t, []string{"top/top.go:III"}, lines(out.Document))
	require.Equal(t, map[string]bool{"example.com/m/top": true}, out.Analysed)

	o.Dir = filepath.Join(o.Dir, "mid")
	o.Patterns = nil
	require.Equal(t, []string{"mid.go:III"}, lines(run(t, o).Document))

	o.Patterns = []string{"mid.go", "../top/top.go"}
	require.Equal(t, []string{"../top/top.go:III", "mid.go:III"}, lines(run(t, o).Document))
}

func TestRunTwiceIsTheSame(t *testing.T) {
	t.Parallel()
	o := module(t, chain)
	require.Equal(t, run(t, o).Document, run(t, o).Document)
}

func TestFindingIsRendered(t *testing.T) {
	t.Parallel()
	out := run(t, module(t, `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package a
func Bad() {}
func (t *T[X]) caller() {
	Bad()
}
type T[X any] struct{}
`))
	require.Len(t, out.Document.Findings, 1)
	f := out.Document.Findings[0]
	require.Equal(t, report.Location{Path: "a.go", Start: report.Point{Line: 4, Column: 2}, End: report.Point{Line: 4, Column: 5}}, f.Location)
	require.Equal(t, "medium", f.Confidence)
	require.Equal(t, "example.com/m", f.Package)
	require.Equal(t, "https://github.com/fencelint/fencelint/blob/main/docs/rules.md#fake-call", f.URL)
	require.Len(t, f.Related, 1, "a step without a place is left out")
	require.Equal(t, report.Point{Line: 4, Column: 1}, f.Related[0].Location.Start)
}

const tests = `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package a
func Bad() {}
func f() { Bad() }
-- a_test.go --
package a
func g() { Bad() }
-- x_test.go --
package a_test
import "example.com/m"
func h() { a.Bad() }
`

func TestTestVariantsAreReportedOnce(t *testing.T) {
	t.Parallel()
	o := module(t, tests)
	o.Tests = true
	require.Equal(t, []string{"a.go:III", "a_test.go:II", "x_test.go:III"}, lines(run(t, o).Document))
	o.Tests = false
	require.Equal(t, []string{"a.go:III"}, lines(run(t, o).Document))
}

func TestFiltersOfTheConfiguration(t *testing.T) {
	t.Parallel()
	o := module(t, tests+`
-- gen.go --
// Code generated by hand. DO NOT EDIT.

package a
func k() { Bad() }
-- skip/s.go --
package skip
func Bad() {}
func k() { Bad() }
`)
	o.Tests, o.Config.Root = true, o.Dir
	o.Config.Exclude = []string{"*_test.go", "skip"}
	require.Equal(t, []string{"a.go:III"}, lines(run(t, o).Document))
	o.Tests, o.Config.Generated = false, true
	require.Equal(t, []string{"a.go:III", "gen.go:IIII"}, lines(run(t, o).Document))
	o.Config.Confidence = finding.High
	require.Empty(t, lines(run(t, o).Document))
	o.Config.Disable = []string{"all"}
	require.Empty(t, lines(run(t, o).Document))
}

func TestTags(t *testing.T) {
	t.Parallel()
	o := module(t, `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package a
func Bad() {}
-- b.go --
//go:build special

package a
func f() { Bad() }
`)
	require.Empty(t, lines(run(t, o).Document))
	o.Tags = "special,other"
	require.Equal(t, []string{"b.go:IIII"}, lines(run(t, o).Document))
}

func TestPackagesThatDoNotLoad(t *testing.T) {
	t.Parallel()
	o := module(t, `
-- go.mod --
module example.com/m
go 1.26
-- good/a.go --
package good
func Bad() {}
func f() { Bad() }
-- good/a_test.go --
package good
func TestX() { undefined() }
-- syntax/a.go --
package syntax
func f( {
-- typed/a.go --
package typed
var x int = "a"
var y int = "b"
var z int = "c"
-- user/a.go --
package user
import _ "example.com/m/typed"
-- user2/a.go --
package user2
import _ "example.com/m/user"
-- missing/a.go --
package missing
import _ "example.com/nowhere"
`)
	o.Tests = true
	out := run(t, o)
	require.Equal(t, []string{"good/a.go:III"}, lines(out.Document), "the tests do not load, the package does")
	byPackage := map[string][]string{}
	for _, e := range out.Document.Errors {
		require.NotContains(t, e.Message, "\n")
		byPackage[e.Package] = append(byPackage[e.Package], e.Message)
	}
	require.Len(t, byPackage["example.com/m/good"], 1)
	require.Contains(t, byPackage["example.com/m/good"][0], "good/a_test.go:2:16: undefined: undefined")
	require.Contains(t, byPackage["example.com/m/syntax"][0], "syntax/a.go:2:")
	require.Len(t, byPackage["example.com/m/typed"], 2, "two errors of three")
	require.Contains(t, byPackage["example.com/nowhere"][0], "missing/a.go:2:8: no required module provides package example.com/nowhere")
	require.Equal(t, []string{"not analysed, since a package that it imports does not load; the same holds for 2 more"}, byPackage["example.com/m/missing"])
	require.NotContains(t, byPackage, "example.com/m/user")
	require.NotContains(t, byPackage, "example.com/m/user2")
}

func TestErrorsOutsideOfThePatternsDoNotCount(t *testing.T) {
	t.Parallel()
	o := module(t, chain+`
-- broken/b.go --
package broken
func f( {
`)
	o.Patterns = []string{"./low"}
	out := run(t, o)
	require.Empty(t, out.Document.Errors)
	require.Equal(t, []string{"low/low.go:III"}, lines(out.Document))
}

func TestNothingToLoad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		archive string
		pattern string
		want    string
	}{
		{"-- go.mod --\nmodule example.com/m\ngo 1.26\n", "./...", "no packages match ./..."},
		{"-- go.mod --\nmodule example.com/m\ngo 1.26\n", ".", "no Go files in"},
		{"-- go.mod --\nmodule example.com/m\ngo 1.26\n", "./x.go", "no Go file ./x.go"},
		{"-- go.mod --\nmodul example.com/m\n", "./...", "go.mod:1: unknown directive: modul"},
		{"-- go.mod --\nmodule example.com/m\ngo 1.26\n-- a.go --\n//go:build never\n\npackage a\n", ".", "build constraints exclude all Go files"},
	} {
		o := module(t, tt.archive)
		o.Patterns = []string{tt.pattern}
		doc := run(t, o).Document
		require.NotEmpty(t, doc.Errors, tt.want)
		require.Contains(t, doc.Errors[0].Message, tt.want)
		require.NotContains(t, doc.Errors[0].Message, "\n")
	}
}

func TestPanicIsOneError(t *testing.T) {
	t.Parallel()
	o := module(t, chain+`
-- boom/b.go --
package boom
func Explode() {}
func f() { Explode() }
`)
	var notes atomic.Int32
	o.Log = func(string, ...any) { notes.Add(1) }
	out := run(t, o)
	require.Len(t, out.Document.Findings, 3)
	require.Equal(t, []report.Error{{Package: "example.com/m/boom", Message: "internal error: panic in fakeflow: boom"}}, out.Document.Errors)
	require.Positive(t, notes.Load())
}

func TestUserModelsStandAboveInferredOnes(t *testing.T) {
	t.Parallel()
	o := module(t, chain+`
-- my.models --
[example.com/m/low]
One	read	-
`)
	o.Config.Root, o.Config.Models = o.Dir, []string{"my.models"}
	out := run(t, o)
	require.Equal(t, []string{"low/low.go:III"}, lines(out.Document))
	require.Empty(t, out.Inferred)
}

func TestInvalidModels(t *testing.T) {
	t.Parallel()
	o := module(t, chain+`
-- my.models --
[example.com/m/low]
One	noverb
`)
	o.Config.Root, o.Config.Models = o.Dir, []string{"my.models"}
	_, err := Run(context.Background(), o)
	require.ErrorContains(t, err, "my.models:2:")
}
