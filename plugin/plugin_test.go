package plugin

import (
	"go/token"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
)

func names(t *testing.T, raw any) []string {
	t.Helper()
	p, err := New(raw)
	require.NoError(t, err)
	require.Equal(t, register.LoadModeTypesInfo, p.GetLoadMode())
	analyzers, err := p.BuildAnalyzers()
	require.NoError(t, err)
	require.NoError(t, analysis.Validate(analyzers))
	var names []string
	for _, a := range analyzers {
		names = append(names, a.Name)
	}
	return names
}

func TestRegistered(t *testing.T) {
	t.Parallel()
	_, err := register.GetPlugin("fencelint")
	require.NoError(t, err)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	require.Contains(t, names(t, nil), "unfencedwrite")
	require.NotContains(t, names(t, nil), "leaseloss")
	require.Contains(t, names(t, map[string]any{"enable": []any{"all"}}), "leaseloss")
	require.Equal(t, []string{"lockresult"}, names(t, map[string]any{"enable": []any{"lockresult"}}))
	require.Equal(t, []string{"ttlcheck"}, names(t, map[string]any{"enable": []any{"ttlcheck"}}))
	require.NotContains(t, names(t, map[string]any{
		"disable": []any{"directive"}, "confidence": "low", "generated": true,
		"models": "[example.com/x]\nT.M\tnonlock\t-\n", "shared-paths": []any{"/mnt"},
	}), "directive")
}

// Two runs share nothing; one run that asks twice gets the same analyzers.
func TestAnalyzersBelongToSettings(t *testing.T) {
	t.Parallel()
	build := func(p register.LinterPlugin) *analysis.Analyzer {
		analyzers, err := p.BuildAnalyzers()
		require.NoError(t, err)
		return analyzers[0]
	}
	one, err := New(nil)
	require.NoError(t, err)
	two, err := New(nil)
	require.NoError(t, err)
	require.Same(t, build(one), build(one))
	require.NotSame(t, build(one), build(two))
}

func TestSettingsErrors(t *testing.T) {
	t.Parallel()
	for want, raw := range map[string]any{
		"unknown field":                     map[string]any{"confidenc": "high"},
		`no rule "nosuch"`:                  map[string]any{"enable": []any{"nosuch"}},
		`no rule "other"`:                   map[string]any{"disable": []any{"other"}},
		"high, medium or low":               map[string]any{"confidence": "sure"},
		"settings of fencelint: models:2: ": map[string]any{"models": "[example.com/x]\nT.M\tnoverb\t-\n"},
		"cannot unmarshal":                  map[string]any{"generated": "yes"},
	} {
		_, err := New(raw)
		require.ErrorContains(t, err, want)
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	one, two := fset.AddFile("/m/one.go", -1, 100), fset.AddFile("/m/two.go", -1, 100)
	one.SetLines([]int{0, 10, 20})
	fixes := []analysis.SuggestedFix{{Message: "do", TextEdits: []analysis.TextEdit{{Pos: one.Pos(5), End: one.Pos(6), NewText: []byte("x")}}}}
	a := &analysis.Analyzer{Name: "rule", Run: func(pass *analysis.Pass) (any, error) {
		pass.Report(analysis.Diagnostic{Pos: one.Pos(5), Category: "kind", Message: "rule (kind): m", SuggestedFixes: fixes, Related: []analysis.RelatedInformation{
			{Pos: one.Pos(15), Message: "taken"}, {Pos: two.Pos(0), Message: "freed"},
		}})
		return nil, nil
	}}
	fold(a)
	var got []analysis.Diagnostic
	_, err := a.Run(&analysis.Pass{Fset: fset, Report: func(d analysis.Diagnostic) { got = append(got, d) }})
	require.NoError(t, err)
	require.Equal(t, []analysis.Diagnostic{{Pos: one.Pos(5), Category: "kind", Message: "kind: m; taken at line 2; freed at two.go:1", SuggestedFixes: fixes}}, got)
}
