package passes

import (
	"reflect"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/suppress"
	"github.com/fencelint/fencelint/passes/directive"
	"golang.org/x/tools/go/analysis"
)

// A rule is one entry of the list.
type rule struct {
	name string
	make func(flow *analysis.Analyzer) *analysis.Analyzer
}

// rules are in the order of precedence: one write gives one finding.
var rules = []rule{}

// Names returns the names of all rules.
func Names() []string {
	var names []string
	for _, r := range rules {
		names = append(names, r.name)
	}
	return append(names, directive.Name)
}

// Settings are what the shared analysis may be told.
type Settings struct {
	Catalogue   *models.Catalogue // nil for the built-in one
	SharedPaths []string          // file paths that several hosts share
	Trace       func(format string, args ...any)
}

// New returns fresh analyzers: the shared one, and the enabled rules above it.
func New(s Settings, enabled func(rule string) bool) (flow *analysis.Analyzer, on []*analysis.Analyzer) {
	flow = &analysis.Analyzer{Name: "leaseflow", Doc: "directives", ResultType: reflect.TypeFor[*suppress.Directives](),
		Run: func(pass *analysis.Pass) (any, error) { return suppress.Parse(pass.Fset, pass.Files), nil }}
	for _, r := range rules {
		if enabled(r.name) {
			on = append(on, r.make(flow))
		}
	}
	if enabled(directive.Name) {
		on = append(on, directive.New(flow, func(r any) *suppress.Directives { return r.(*suppress.Directives) }, on, Names()))
	}
	return flow, on
}
