package unfencedwrite

import (
	"fmt"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/passes/internal/rule"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the rule.
const Name = "unfencedwrite"

// Analyzer is the rule with the built-in models, for drivers that want a
// variable. It shares its analysis with the other rules' variables.
var Analyzer = New(rule.Flow())

// New returns the rule on a shared flow analysis.
func New(flow *analysis.Analyzer) *analysis.Analyzer {
	return rule.New(rule.Spec{
		Name:    Name,
		Title:   "report changes under a lease that the store accepts from a stale holder too",
		Judge:   judge,
		Limited: true,
	}, flow)
}

func judge(flow *leaseflow.Result) []finding.Finding {
	var out []finding.Finding
	for i := range flow.Writes {
		x := &flow.Writes[i]
		if x.Check != nil || x.Test {
			continue
		}
		out = append(out, report(x))
	}
	return out
}

func report(x *leaseflow.Exposure) finding.Finding {
	f := finding.Finding{Rule: Name, Category: category(x), Confidence: rule.WriteConfidence(x), Pos: x.Pos, End: x.End}
	f.Message = message(f.Category, x)
	rule.Story(&f, x)
	return f
}

func message(category string, x *leaseflow.Exposure) string {
	call := rule.Call(x.Write.Store, x.Write.API)
	switch {
	case x.MadeUp:
		return call + " gets a name that is made up at every start: the store refuses the older of two holders of one name, and a stale worker has another; name it after the work"
	case x.SharedName:
		return fmt.Sprintf("%s compares a name that all attempts of this process share: one that was given up still passes for the holder; %s", call, rule.Repair(x))
	}
	return fmt.Sprintf("%s %s; %s%s", call, breaks[category], rule.Repair(x), rule.Others(x))
}

func category(x *leaseflow.Exposure) string {
	switch {
	case x.Unordered, x.MadeUp:
		return "unordered"
	case x.Escaped:
		return "escaped"
	case x.Dropped:
		return "unguarded"
	case x.Partial:
		return "partial"
	case x.Stored:
		return "stored"
	case x.Write.Action == leaseflow.Send:
		return "external"
	case x.Write.RMW:
		return "rmw"
	}
	return "unfenced"
}

// breaks says which stale action goes through.
var breaks = map[string]string{
	"unfenced":  "runs under a lease that can run out, and the store takes it from a stale holder too",
	"rmw":       "stores a value that derives from an earlier read: a holder whose lease ran out overwrites what its successor stored",
	"unordered": "compares a random value by order: it tells no older holder from a newer one",
	"stored":    "stores the token and nothing compares it, so a stale holder's change is taken too",
	"external":  "reaches an outside system that knows no lease: a stale holder and its successor both send",
	"partial":   "is not fenced while another store in the same region is: a stale holder still changes this one",
	"unguarded": "runs whether or not the lease was acquired, as a refusal does not stop it",
	"escaped":   "goes on after the lease is given up, beside the work of the next holder",
}
