package leaseloss

import (
	"github.com/fencelint/fencelint/passes/internal/rule"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the pass.
const Name = "leaseloss"

// Analyzer is the pass with the built-in models, for drivers that want a
// variable. It shares its analysis with the rules' variables.
var Analyzer = New(rule.Flow())

// New returns the pass on a shared flow analysis. It is silent where one of the
// rules before it reports.
func New(flow *analysis.Analyzer, before ...*analysis.Analyzer) *analysis.Analyzer {
	return rule.Faults(Name, "report leases whose loss their holder does not notice or act on", says, flow, before)
}

// says holds what is said of each form of a fault: what goes wrong, and then
// what to do.
var says = map[string]rule.Say{
	"lostsignalignored": {
		Text: "%s returns the news that the lease is lost, and nothing listens: the work goes on beside the next holder; end the work on it, and let the store refuse what comes late",
	},
	"lostsignalignored spawned": {
		Text: "%s returns when the lease is lost, and a go statement drops that: the work goes on beside the next holder; end the work when it returns, and let the store refuse what comes late",
	},
	"lostsignalignored told": {
		Text: "%s returns when the lease is lost, and that is only logged: the work goes on beside the next holder; end the work there, and let the store refuse what comes late",
	},
	"lostsignalignored session": {
		Text: "%s leads until its session ends, and nothing watches the session: an old leader works on beside the new one; end the work when the session is done, and let writes carry the revision of the election",
	},
	"lostsignalignored flag": {
		Text:    "the end of the leadership leaves the flag of the leader set: an old leader works on beside the new one; clear the flag or end the process here, and let the store refuse what comes late",
		Acquire: "the leadership begins here",
	},
	"leaderctxdropped": {
		Text:    "the work of the leader drops the context that ends with the leadership: an old leader works on beside the new one; pass that context on, and let the store refuse what comes late",
		Acquire: "the leadership begins here",
	},
	"keepalivectx": {
		Text: "%s renews the lease on a context with a time limit, and stops when it is over: the lease ends while the work goes on; give the renewal a context that lives as long as the work",
	},
	"keepalivectx cancel": {
		Text: "%s renews the lease on a context that is cancelled when this function returns: the lease ends while its holder works on; give the renewal a context that lives as long as the work",
	},
	"renewresultignored": {
		Text: "%s says whether the lease is still held, and nothing looks at the answer: the work goes on beside the next holder; end the work when a renewal fails",
	},
	"renewresultignored told": {
		Text: "%s fails when the lease is lost, and that is only logged: the work goes on beside the next holder; end the work when a renewal fails",
	},
	"blindrenew": {
		Text:    "%s prolongs the lock whoever holds it: after a stall that is the lock of the next holder, who then cannot be told apart; compare the owner value and prolong in one step",
		Acquire: "lock acquired here",
	},
	"blindrenew set": {
		Text:    "%s renews the lock by writing it anew: after a stall it takes the lock of the next holder; compare the owner value and prolong in one step",
		Acquire: "lock acquired here",
	},
	"silentreacquire": {
		Text:  "%s takes the lock anew after a failed renewal, and the work goes on with what it read before: in between another holder may have worked; end the work and begin again from a fresh read",
		Check: "the renewal fails here",
	},
	"silentreacquire option": {
		Text: "%s lets a renewal take a lost lock anew without a word: in between another holder may have worked; leave the option out, and begin again when a renewal fails",
	},
}
