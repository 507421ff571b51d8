package tokenissue

import (
	"github.com/fencelint/fencelint/passes/internal/rule"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the pass.
const Name = "tokenissue"

// Analyzer is the pass with the built-in models, for drivers that want a
// variable. It shares its analysis with the rules' variables.
var Analyzer = New(rule.Flow())

// New returns the pass on a shared flow analysis. It is silent where one of the
// rules before it reports.
func New(flow *analysis.Analyzer, before ...*analysis.Analyzer) *analysis.Analyzer {
	return rule.Faults(Name, "report fencing tokens that may repeat, or that do not follow the order of the holders", says, flow, before)
}

// says holds what is said of each form of a fault: what goes wrong, and then
// what to do.
var says = map[string]rule.Say{
	"tokenreset": {
		Text:  "%s removes the counter of the fencing tokens: the next holder gets a number that an older one has had, and the store takes both; keep the counter for ever",
		Write: "counted up here",
	},
	"tokenreset expires": {
		Text:  "%s lets the counter of the fencing tokens expire: the next holder gets a number that an older one has had, and the store takes both; keep the counter for ever",
		Write: "counted up here",
	},
	"tokennotatomic": {
		Text:    "%s draws the fencing token in a step after the lock was taken: a holder that stalls between the two draws a higher token than its successor; take lock and token in one script",
		Acquire: "lock acquired here",
	},
	"tokennotatomic before": {
		Text:    "%s draws the fencing token in a step before the lock is taken: a worker that waits for the lock holds it with a lower token than its predecessor; take lock and token in one script",
		Acquire: "lock acquired here",
	},
}
