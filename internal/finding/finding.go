// Package finding holds what a rule says about a program, in the form that
// every front end (text, JSON, SARIF, go vet, golangci-lint) is written from.
package finding

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Confidence says how sure a finding is; see docs/rules.md for what each level means.
type Confidence int

// The levels, in rising order.
const (
	Low Confidence = iota + 1
	Medium
	High
)

// String returns "low", "medium" or "high".
func (c Confidence) String() string {
	switch c {
	case Low:
		return "low"
	case High:
		return "high"
	}
	return "medium"
}

// ParseConfidence reads "high", "medium" or "low".
func ParseConfidence(s string) (Confidence, bool) {
	for _, c := range []Confidence{Low, Medium, High} {
		if c.String() == s {
			return c, true
		}
	}
	return 0, false
}

// Role is the part that a place plays in the story of a finding.
type Role string

// The roles, in the order in which a story is told.
const (
	Acquire Role = "acquire"
	Check   Role = "check"
	Write   Role = "write"
	Release Role = "release"
)

// Related is one step of the story.
type Related struct {
	Role    Role
	Message string
	// Pos, and perhaps End, are set when the place lies in the package under analysis.
	Pos, End token.Pos
	// Position names the place otherwise; it comes out of a fact of another package.
	Position token.Position
}

// Finding is one fault.
type Finding struct {
	Rule, Category string
	Confidence     Confidence
	Message        string // one line, lower case, without full stop
	Pos, End       token.Pos
	Related        []Related // in the order of the story
	Fixes          []analysis.SuggestedFix
	// Links tells, for -v, which steps of the story were seen and which were inferred.
	Links []string
}

// Limit is a place whose author wrote down that its guarantee is limited on purpose.
type Limit struct {
	Reason   string
	Pos, End token.Pos
}

// Result is what a rule's analyzer returns for one package.
type Result struct {
	Findings []Finding
	Limits   []Limit
}

// URL returns the address of the documentation of a rule's category.
func URL(rule, category string) string {
	u := "https://github.com/fencelint/fencelint/blob/main/docs/rules.md#" + rule
	if category != "" {
		u += "-" + category
	}
	return u
}

// Diagnostic renders f for drivers that know nothing but analysis.Diagnostic.
// The rule stands in the message because go vet prints no analyzer name, and
// steps in other packages are folded into it because they have no position here.
func (f *Finding) Diagnostic() analysis.Diagnostic {
	d := analysis.Diagnostic{
		Pos: f.Pos, End: f.End, Category: f.Category,
		Message: f.Rule + " (" + f.Category + "): " + f.Message,
		URL:     URL(f.Rule, f.Category), SuggestedFixes: f.Fixes,
	}
	for _, r := range f.Related {
		if r.Pos.IsValid() {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: r.Pos, End: r.End, Message: r.Message})
		} else if r.Position.IsValid() {
			d.Message += "; " + r.Message + " at " + r.Position.String()
		}
	}
	return d
}

// Report gives places without an end the extent that readers expect, and hands
// the findings to the pass in order of position, those below min left out.
func Report(pass *analysis.Pass, res *Result, min Confidence) {
	for i := range res.Findings {
		res.Findings[i].extend(pass)
	}
	for i := range res.Limits {
		extend(pass, &res.Limits[i].Pos, &res.Limits[i].End)
	}
	sorted := slices.Clone(res.Findings)
	slices.SortStableFunc(sorted, func(a, b Finding) int { return int(a.Pos) - int(b.Pos) })
	for i := range sorted {
		if sorted[i].Confidence >= min {
			pass.Report(sorted[i].Diagnostic())
		}
	}
}

func (f *Finding) extend(pass *analysis.Pass) {
	extend(pass, &f.Pos, &f.End)
	for i := range f.Related {
		extend(pass, &f.Related[i].Pos, &f.Related[i].End)
	}
}

func extend(pass *analysis.Pass, pos, end *token.Pos) {
	if !pos.IsValid() || end.IsValid() {
		return
	}
	for _, file := range pass.Files {
		if file.FileStart <= *pos && *pos <= file.FileEnd {
			*pos, *end = Extent(pass.Fset, file, *pos)
			return
		}
	}
}
