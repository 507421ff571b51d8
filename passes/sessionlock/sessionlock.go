package sessionlock

import (
	"github.com/fencelint/fencelint/passes/internal/rule"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the pass.
const Name = "sessionlock"

// Analyzer is the pass with the built-in models, for drivers that want a
// variable. It shares its analysis with the rules' variables.
var Analyzer = New(rule.Flow())

// New returns the pass on a shared flow analysis. It is silent where one of the
// rules before it reports.
func New(flow *analysis.Analyzer, before ...*analysis.Analyzer) *analysis.Analyzer {
	return rule.Faults(Name, "report locks of a database session that run on a pool of connections", says, flow, before)
}

// says holds what is said of each form of a fault: what goes wrong, and then
// what to do.
var says = map[string]rule.Say{
	"sessionlockpooled": {
		Text: "%s locks the session of whatever connection is free: the release runs on another one, and the pool may drop the lock at any time; take one connection of the pool (Conn, Acquire) for lock, work and release, or use a lock of the transaction",
	},
	"sessionlockpooled release": {
		Text: "%s runs on whatever connection is free, which does not hold the lock: it stays taken until its connection is closed; release on the connection that took it (Conn, Acquire)",
	},
}
