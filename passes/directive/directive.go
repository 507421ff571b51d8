package directive

import (
	"reflect"
	"slices"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/internal/suppress"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the rule.
const Name = "directive"

// New returns the rule on a shared flow analysis. Rules are those that run in
// the same way and mark the directives they obey; known names every rule that
// a directive may speak of.
func New(flow *analysis.Analyzer, rules []*analysis.Analyzer, known []string) *analysis.Analyzer {
	enabled := func(rule string) bool {
		return slices.ContainsFunc(rules, func(a *analysis.Analyzer) bool { return a.Name == rule })
	}
	return &analysis.Analyzer{
		Name:       Name,
		Doc:        "report fencelint directives that are malformed or silence nothing",
		URL:        finding.URL(Name, ""),
		Requires:   append([]*analysis.Analyzer{flow}, rules...),
		ResultType: reflect.TypeFor[*finding.Result](),
		Run: func(pass *analysis.Pass) (any, error) {
			result := new(finding.Result)
			add := func(category string, problems []suppress.Problem) {
				for _, p := range problems {
					result.Findings = append(result.Findings, finding.Finding{
						Rule: Name, Category: category, Confidence: finding.High,
						Message: p.Message, Pos: p.Pos, End: p.End,
					})
				}
			}
			directives := pass.ResultOf[flow].(*leaseflow.Result).Directives
			add("malformed", directives.Malformed(func(rule string) bool { return slices.Contains(known, rule) }))
			add("unused", directives.Unused(enabled))
			finding.Report(pass, result, finding.Medium)
			return result, nil
		},
	}
}
