// Package rule is what the rules have in common: how one is made from a title
// and a judgement, and how it tells its story.
package rule

import (
	"flag"
	"fmt"
	"reflect"
	"sync"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/analysis"
)

// A Spec is one rule.
type Spec struct {
	Name  string
	Title string // the first line of its documentation
	Judge func(*leaseflow.Result) []finding.Finding
	// Limited says that a limit directive on the lock or the write silences it.
	Limited bool
}

// New makes the analyzer of a rule on the shared flow analysis. It says nothing
// where one of the rules before it has spoken.
func New(spec Spec, flow *analysis.Analyzer, before ...*analysis.Analyzer) *analysis.Analyzer {
	level := finding.Medium
	a := &analysis.Analyzer{
		Name:       spec.Name,
		Doc:        spec.Title + "\n\nSee https://github.com/fencelint/fencelint/blob/main/docs/rules.md#" + spec.Name,
		URL:        finding.URL(spec.Name, ""),
		Requires:   append([]*analysis.Analyzer{flow}, before...),
		ResultType: reflect.TypeFor[*finding.Result](),
	}
	a.Flags.Init(spec.Name, flag.ContinueOnError)
	a.Flags.Func("confidence", "least confidence that is reported: high, medium or low (default medium)", func(s string) error {
		c, ok := finding.ParseConfidence(s)
		if !ok {
			return fmt.Errorf("confidence %q is none of high, medium, low", s)
		}
		level = c
		return nil
	})
	a.Run = func(pass *analysis.Pass) (any, error) {
		res := &finding.Result{}
		in := pass.ResultOf[flow].(*leaseflow.Result)
		told := newTold(pass, before, level)
		for _, f := range spec.Judge(in) {
			if told.has(f.Pos) {
				continue
			}
			if spec.Limited {
				if reason, ok := limited(in, &f); ok {
					res.Limits = append(res.Limits, finding.Limit{Reason: reason, Pos: f.Pos})
					continue
				}
			}
			if in.Directives.Ignored(f.Rule, f.Pos) {
				continue
			}
			res.Findings = append(res.Findings, f)
		}
		finding.Report(pass, res, level)
		return res, nil
	}
	return a
}

// limited reports whether the author limited the guarantee of the write or of
// the lock that it runs under.
func limited(in *leaseflow.Result, f *finding.Finding) (string, bool) {
	if reason, ok := in.Directives.Limit(f.Pos); ok {
		return reason, true
	}
	for _, r := range f.Related {
		if r.Pos.IsValid() && (r.Role == finding.Acquire || r.Role == finding.Write) {
			if reason, ok := in.Directives.Limit(r.Pos); ok {
				return reason, true
			}
		}
	}
	return "", false
}

// Flow returns the analysis with the built-in models that the Analyzer
// variables of all rules share: two instances that register the same fact do
// not validate in one program.
var Flow = sync.OnceValue(func() *analysis.Analyzer {
	cat, err := models.Load()
	if err != nil { // the embedded data is tested: it loads
		panic(err)
	}
	return leaseflow.New(leaseflow.Config{Catalogue: cat})
})

// Step adds a place to the story of a finding.
func Step(f *finding.Finding, role finding.Role, message string, p *leaseflow.Place) {
	if p == nil {
		return
	}
	if p.Within != "" && !p.Pos.IsValid() {
		message += " in " + p.Within
	}
	f.Related = append(f.Related, finding.Related{Role: role, Message: message, Pos: p.Pos, Position: p.Position})
}

// Call names a call for a message: "redis Del".
func Call(store, api string) string {
	if store == "" {
		return api
	}
	return store + " " + api
}
