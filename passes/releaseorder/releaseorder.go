package releaseorder

import (
	"github.com/fencelint/fencelint/passes/internal/rule"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the pass.
const Name = "releaseorder"

// Analyzer is the pass with the built-in models, for drivers that want a
// variable. It shares its analysis with the rules' variables.
var Analyzer = New(rule.Flow())

// New returns the pass on a shared flow analysis. It is silent where one of the
// rules before it reports.
func New(flow *analysis.Analyzer, before ...*analysis.Analyzer) *analysis.Analyzer {
	return rule.Faults(Name, "report releases that may not be sent, or that come before the work has ended", says, flow, before)
}

// says holds what is said of each form of a fault: what goes wrong, and then
// what to do.
var says = map[string]rule.Say{
	"unlockcancelledctx ends": {
		Text:    "%s is deferred on a context that may be over by then: the release is never sent, and the lock stays taken until its time is over; use context.WithoutCancel with a time limit of its own",
		Acquire: "lock acquired here",
	},
	"unlockcancelledctx stops": {
		Text:    "%s is deferred on a context that a signal or the end of its group cancels: the release is never sent, and the lock stays taken until its time is over; use context.WithoutCancel with a time limit of its own",
		Acquire: "lock acquired here",
	},
	"unlockcancelledctx caller": {
		Text:    "%s is deferred on the context of the caller, who may have cancelled it by then: the release is never sent, and the lock stays taken until its time is over; use context.WithoutCancel with a time limit of its own",
		Acquire: "lock acquired here",
	},
	"releasebeforecommit": {
		Text:    "%s frees the lock before the transaction is committed: the next holder reads the state before it, and one change is lost; commit first, and free the lock around the transaction",
		Acquire: "lock acquired here",
		Write:   "committed here, after the release",
	},
	"releasebeforestop": {
		Text:  "%s frees the lock before the renewal is stopped, which names the key alone: a late renewal prolongs the lock of the next holder; stop the renewal, wait for its end, then free the lock",
		Write: "the renewal is stopped here",
	},
	"releasebeforeworkends": {
		Text:    "%s frees the lock before the wait for what was started under it: the work goes on beside the next holder; wait first",
		Acquire: "lock acquired here",
		Check:   "waited for here, after the release",
		Write:   "started here",
	},
}
