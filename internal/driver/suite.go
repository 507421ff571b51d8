package driver

import (
	"fmt"
	"go/types"
	"reflect"
	"runtime/debug"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/analysis"
)

// A Suite is what a driver runs.
type Suite struct {
	// Analyzers returns fresh analyzers that know a catalogue: the one whose
	// results Infer reads, and the rules above it, for which enabled holds and
	// whose results are of type *finding.Result.
	Analyzers func(cat *models.Catalogue, enabled func(rule string) bool) (flow *analysis.Analyzer, rules []*analysis.Analyzer)
	// Infer returns the rows that the main module's own functions and
	// interfaces deserve. Nil where nothing is to be inferred.
	Infer func(results []any) []*models.Row
}

// guard makes a panic in an analyzer an error of one package instead of the
// end of the run. In a package that is no root, whose results nobody reads,
// the analyzer gives an empty result, so that its dependents go on.
func guard(a *analysis.Analyzer, root func(*types.Package) bool, log func(string, ...any)) {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (result any, err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			log("panic in %s on %s: %v\n%s", a.Name, pass.Pkg.Path(), p, debug.Stack())
			if a.ResultType != nil && a.ResultType.Kind() == reflect.Pointer && !root(pass.Pkg) {
				result, err = nothing(a), nil
				return
			}
			result, err = nil, fmt.Errorf("internal error: panic in %s: %v", a.Name, p)
		}()
		return run(pass)
	}
}

// nothing is the result of an analyzer that has found nothing.
func nothing(a *analysis.Analyzer) any { return reflect.New(a.ResultType.Elem()).Interface() }

var resultType = reflect.TypeFor[*finding.Result]()
