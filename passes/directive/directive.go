package directive

import (
	"reflect"
	"slices"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/suppress"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the rule.
const Name = "directive"

// New returns the analyzer. The result of flow holds the directives of the
// package, which of takes out of it; rules are those that ran and marked them
// as used; known names every rule there is.
func New(flow *analysis.Analyzer, of func(result any) *suppress.Directives, rules []*analysis.Analyzer, known []string) *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:       Name,
		Doc:        "report fencelint directives that are malformed or silence nothing",
		URL:        finding.URL(Name, ""),
		Requires:   append([]*analysis.Analyzer{flow}, rules...),
		ResultType: reflect.TypeFor[*finding.Result](),
	}
	enabled := func(rule string) bool {
		return slices.ContainsFunc(rules, func(a *analysis.Analyzer) bool { return a.Name == rule })
	}
	a.Run = func(pass *analysis.Pass) (any, error) {
		result := new(finding.Result)
		directives := of(pass.ResultOf[flow])
		if directives == nil {
			return result, nil
		}
		add := func(category string, problems []suppress.Problem) {
			for _, p := range problems {
				result.Findings = append(result.Findings, finding.Finding{
					Rule: Name, Category: category, Confidence: finding.High,
					Message: p.Message, Pos: p.Pos, End: p.End,
				})
			}
		}
		add("malformed", directives.Malformed(func(rule string) bool { return slices.Contains(known, rule) }))
		add("unused", directives.Unused(enabled))
		for _, l := range directives.Limits() {
			result.Limits = append(result.Limits, finding.Limit{Reason: l.Reason, Pos: l.Pos})
		}
		finding.Report(pass, result, finding.Medium)
		return result, nil
	}
	return a
}
