package rule

import (
	"fmt"
	"strings"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"golang.org/x/tools/go/analysis"
)

// Say is what a pass says of one form of a fault: the consequence, and after it
// the repair. Its text gets the name of the call. The other texts name the
// steps of the story, where there are any.
type Say struct {
	Text                           string
	Acquire, Check, Write, Release string
}

// Faults makes a pass that tells faults. Its texts are kept by the category, or
// by category and variant with a space between.
func Faults(name, title string, says map[string]Say, flow *analysis.Analyzer, before []*analysis.Analyzer) *analysis.Analyzer {
	return New(Spec{
		Name:    name,
		Title:   title,
		Limited: true,
		Judge: func(in *leaseflow.Result) []finding.Finding {
			var out []finding.Finding
			for i := range in.Faults {
				f := &in.Faults[i]
				if say, ok := says[strings.TrimSpace(string(f.Kind)+" "+f.Variant)]; ok {
					out = append(out, tell(name, f, say))
				}
			}
			return out
		},
	}, flow, before...)
}

func tell(name string, x *leaseflow.Fault, say Say) finding.Finding {
	f := finding.Finding{Rule: name, Category: string(x.Kind), Confidence: finding.Medium, Pos: x.Pos, End: x.End}
	switch {
	case x.Doubtful:
		f.Confidence = finding.Low
	case x.Certain:
		f.Confidence = finding.High
	}
	f.Message = say.Text
	if strings.Contains(say.Text, "%s") {
		f.Message = fmt.Sprintf(say.Text, Call(x.Store, x.API))
	}
	for _, s := range []struct {
		role finding.Role
		text string
		at   *leaseflow.Place
	}{
		{finding.Acquire, say.Acquire, x.Acquire},
		{finding.Check, say.Check, x.Check},
		{finding.Write, say.Write, x.Write},
		{finding.Release, say.Release, x.Release},
	} {
		if s.text != "" {
			Step(&f, s.role, s.text, s.at)
		}
	}
	if !x.Certain {
		f.Links = append(f.Links, "inferred: one step, through an interface or from what a caller may do")
	}
	return f
}
