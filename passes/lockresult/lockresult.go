package lockresult

import (
	"github.com/fencelint/fencelint/passes/internal/rule"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the pass.
const Name = "lockresult"

// Analyzer is the pass with the built-in models, for drivers that want a
// variable. It shares its analysis with the rules' variables.
var Analyzer = New(rule.Flow())

// New returns the pass on a shared flow analysis. It is silent where one of the
// rules before it reports.
func New(flow *analysis.Analyzer, before ...*analysis.Analyzer) *analysis.Analyzer {
	return rule.Faults(Name, "report locks that are not taken, not freed or not exclusive as their taker believes", says, flow, before)
}

// says holds what is said of each form of a fault: what goes wrong, and then
// what to do.
var says = map[string]rule.Say{
	"lockresultignored": {
		Text: "nothing looks at the answer of %s: who does not get the lock works all the same, beside the holder; go on only when it was taken",
	},
	"lockresultignored refusal": {
		Text: "only the error of %s is looked at, and a refusal is none: who does not get the lock works all the same, beside the holder; go on only when the answer is yes",
	},
	"nonatomicttl": {
		Text:  "%s takes the lock without an end and a second command sets it: who dies between the two leaves a lock that nobody can take; set value and expiry in one command",
		Write: "the expiry is set here",
	},
	"keymismatch": {
		Text:    "%s frees another key than the one that was taken: the lock stays until its time is over, and the lock of somebody else may go; build the key once and keep it",
		Acquire: "lock acquired here, under another key",
	},
	"acquirenotatomic": {
		Text:  "%s takes the lock after a look that found it free: two who look at the same time both take it; take it by one create-only or conditional step",
		Check: "found free here",
	},
	"retrynotidempotent": {
		Text: "%s is tried again after an error, and the try whose answer was lost may have taken the lock: the next one is refused by its own record; read back whose it is before giving up",
	},
	"ambiguousresult": {
		Text:  "%s removes what a conditional change names because the change failed, but its answer may have been lost or met its own first try: what the store now points at is gone; read back what it holds first",
		Write: "the change that may have taken effect",
	},
	"modeasvalue NX": {
		Text: "%s stores the word NX as the value instead of asking that the key is absent: everybody takes the lock; pass NX as an option, or use SetNX with an expiry",
	},
	"modeasvalue XX": {
		Text: "%s stores the word XX as the value instead of asking that the key is there: a lock that was lost is taken anew; pass XX as an option, and compare the owner",
	},
}
