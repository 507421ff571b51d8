package passes_test

import (
	"bytes"
	"encoding/gob"
	"reflect"
	"testing"

	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/passes"
	"github.com/fencelint/fencelint/passes/keyonlyrelease"
	"github.com/fencelint/fencelint/passes/leaseloss"
	"github.com/fencelint/fencelint/passes/lockresult"
	"github.com/fencelint/fencelint/passes/releaseorder"
	"github.com/fencelint/fencelint/passes/sessionlock"
	"github.com/fencelint/fencelint/passes/tokenissue"
	"github.com/fencelint/fencelint/passes/ttlcheck"
	"github.com/fencelint/fencelint/passes/unfencedwrite"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
)

// TestNogoContract keeps what Bazel's nogo asks of an analyzer: a variable
// Analyzer in a package, a name of its own, and facts that pass through gob.
func TestNogoContract(t *testing.T) {
	t.Parallel()
	analyzers := []*analysis.Analyzer{
		keyonlyrelease.Analyzer, ttlcheck.Analyzer, unfencedwrite.Analyzer,
		leaseloss.Analyzer, lockresult.Analyzer, sessionlock.Analyzer, releaseorder.Analyzer, tokenissue.Analyzer,
	}
	require.NoError(t, analysis.Validate(analyzers))
	seen := map[*analysis.Analyzer]bool{}
	names := map[string]bool{}
	var visit func(*analysis.Analyzer)
	visit = func(a *analysis.Analyzer) {
		if seen[a] {
			return
		}
		seen[a] = true
		require.False(t, names[a.Name], "two analyzers are called %s", a.Name)
		names[a.Name] = true
		for _, fact := range a.FactTypes {
			require.NoError(t, gob.NewEncoder(new(bytes.Buffer)).Encode(reflect.New(reflect.TypeOf(fact).Elem()).Interface()))
		}
		for _, required := range a.Requires {
			visit(required)
		}
	}
	for _, a := range analyzers {
		visit(a)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	cat, err := models.Load()
	require.NoError(t, err)
	flow, rules := passes.New(leaseflow.Config{Catalogue: cat}, func(rule string) bool { return rule != "ttlcheck" })
	require.NoError(t, analysis.Validate(append(rules, flow)))
	var names []string
	for _, rule := range rules {
		names = append(names, rule.Name)
		require.Contains(t, rule.Requires, flow)
	}
	require.NotContains(t, names, "ttlcheck")
	require.Len(t, names, len(passes.Names())-1)
}
