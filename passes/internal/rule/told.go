package rule

import (
	"go/token"

	"github.com/fencelint/fencelint/internal/finding"
	"golang.org/x/tools/go/analysis"
)

// told is where the rules before one have spoken: a mistake is told once.
type told struct {
	fset  *token.FileSet
	lines map[line]bool
}

type line struct {
	file string
	n    int
}

func newTold(pass *analysis.Pass, before []*analysis.Analyzer, level finding.Confidence) told {
	t := told{pass.Fset, map[line]bool{}}
	for _, a := range before {
		res, ok := pass.ResultOf[a].(*finding.Result)
		if !ok {
			continue
		}
		for _, f := range res.Findings {
			if f.Confidence < level {
				continue
			}
			t.lines[t.line(f.Pos)] = true
			if f.Category != "unguarded" {
				continue
			}
			for _, r := range f.Related { // the dropped answer is what that finding is about
				if r.Role == finding.Acquire && r.Pos.IsValid() {
					t.lines[t.line(r.Pos)] = true
				}
			}
		}
	}
	return t
}

func (t told) line(pos token.Pos) line {
	at := t.fset.Position(pos)
	return line{at.Filename, at.Line}
}

func (t told) has(pos token.Pos) bool { return len(t.lines) > 0 && t.lines[t.line(pos)] }
