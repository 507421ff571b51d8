package ttlcheck

import (
	"fmt"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/passes/internal/rule"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the rule.
const Name = "ttlcheck"

// Analyzer is the rule with the built-in models, for drivers that want a
// variable. It shares its analysis with the other rules' variables.
var Analyzer = New(rule.Flow())

// New returns the rule on a shared flow analysis.
func New(flow *analysis.Analyzer) *analysis.Analyzer {
	return rule.New(rule.Spec{
		Name:    Name,
		Title:   "report changes that hang on a check in the worker that the lease is still held",
		Judge:   judge,
		Limited: true,
	}, flow)
}

func judge(flow *leaseflow.Result) []finding.Finding {
	var out []finding.Finding
	for i := range flow.Writes {
		x := &flow.Writes[i]
		if x.Check == nil || x.Test {
			continue
		}
		out = append(out, report(x))
	}
	return out
}

func report(x *leaseflow.Exposure) finding.Finding {
	f := finding.Finding{Rule: Name, Category: x.CheckKind.String(), Confidence: rule.WriteConfidence(x), Pos: x.Pos, End: x.End}
	f.Message = fmt.Sprintf("%s runs because %s, which can be over before the store sees the change; %s%s",
		rule.Call(x.Write.Store, x.Write.API), because[x.CheckKind], rule.Repair(x), rule.Others(x))
	rule.Story(&f, x)
	return f
}

// because says what the worker decided.
var because = map[leaseflow.CheckKind]string{
	leaseflow.OwnerCheck:   "the worker found that it holds the lease",
	leaseflow.TTLRemaining: "the lease had time left",
	leaseflow.ClockCheck:   "the local clock said that the lease lives",
	leaseflow.TokenCompare: "the worker compared the token itself",
	leaseflow.ExtendCheck:  "the lease was just prolonged",
	leaseflow.LostSignal:   "no loss of the lease was signalled",
	leaseflow.Takeover:     "the last holder was judged dead",
}
