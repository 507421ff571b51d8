package keyonlyrelease

import (
	"fmt"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/passes/internal/rule"
	"golang.org/x/tools/go/analysis"
)

// Name is the name of the rule.
const Name = "keyonlyrelease"

// Analyzer is the rule with the built-in models, for drivers that want a
// variable. It shares its analysis with the other rules' variables.
var Analyzer = New(rule.Flow())

// New returns the rule on a shared flow analysis.
func New(flow *analysis.Analyzer) *analysis.Analyzer {
	return rule.New(rule.Spec{
		Name:  Name,
		Title: "report releases and renewals of a lock that do not prove its ownership",
		Judge: judge,
	}, flow)
}

func judge(flow *leaseflow.Result) []finding.Finding {
	var out []finding.Finding
	for i := range flow.Releases {
		if f, ok := report(&flow.Releases[i]); ok {
			out = append(out, f)
		}
	}
	return out
}

func report(r *leaseflow.UnsafeRelease) (finding.Finding, bool) {
	f := finding.Finding{Rule: Name, Category: category(r), Confidence: confidence(r), Pos: r.Pos, End: r.End}
	if r.Test {
		return f, false
	}
	verb := "frees"
	if r.Renews {
		verb = "prolongs"
	}
	f.Message = fmt.Sprintf(messages[f.Category], rule.Call(r.Store, r.API), verb, repair(r))
	switch {
	case r.Unseen:
		f.Message = fmt.Sprintf(unseen, rule.Call(r.Store, r.API), verb)
	case r.Unnamed:
		f.Message = fmt.Sprintf(unnamed, rule.Call(r.Store, r.API), verb, repair(r))
	case r.Reread:
		f.Message = fmt.Sprintf(reread, rule.Call(r.Store, r.API), verb)
	}
	rule.Step(&f, finding.Acquire, "lock acquired here", r.Acquire)
	if r.Check != nil {
		rule.Step(&f, finding.Check, "ownership judged here, in a step of its own", r.Check)
	}
	if r.Release != nil {
		rule.Step(&f, finding.Release, "by name alone here", r.Release)
	}
	if r.Acquire == nil {
		f.Links = append(f.Links, "inferred: that it is a lock, from the names around it; no acquire was seen")
	}
	if r.Inferred {
		f.Links = append(f.Links, "inferred: the release, through an interface")
	}
	return f, true
}

func category(r *leaseflow.UnsafeRelease) string {
	switch {
	case r.Compared:
		return "constowner"
	case r.Early:
		return "notacquired"
	case r.Check != nil:
		return "getthendel"
	case r.Script:
		return "luakeyonly"
	}
	return "keyonly"
}

// messages say what breaks and what to do; %s are the call, the verb and the repair.
var messages = map[string]string{
	"keyonly":     "%s %s the lock by name alone: a holder whose lease ran out hits the lock of its successor; %s",
	"getthendel":  "%s %s the lock after a check in the worker: between the two the lock may expire and change hands; %s",
	"constowner":  "%s %s the lock after comparing a value that every holder shares, so the compare is true for all; store a value made for each acquisition; %[3]s",
	"luakeyonly":  "%s runs a script that %s the lock without comparing who holds it; %s",
	"notacquired": "%s %s the lock also when it was not acquired, as the release is deferred before the answer is looked at: a loser hits the holder's lock; %s",
}

// unnamed is said of an owner that is the same in all attempts of one process;
// %s are the call, the verb and the repair.
const unnamed = "%s %s the lock after comparing a name that all attempts of this process share: one that was given up still passes for the holder; store a value made for each acquisition; %s"

// unseen is said of a takeover that compares whose lock it was; %s are the call
// and the verb.
const unseen = "%s %s the lock of a holder that was judged dead before: it may have shown itself alive since; compare the sign of life that was read in the same step"

// reread is said of a release that asks for the version of a record that it
// has read anew; %s are the call and the verb.
const reread = "%s %s the lock in the version that was read just before, whoever holds it: a holder whose lease ran out hits the lock of its successor; ask for the version of the acquire, or compare the owner in the record that carries the version"

// repair names the store-side compare that the store offers.
func repair(r *leaseflow.UnsafeRelease) string {
	verb := "delete"
	if r.Renews {
		verb = "prolong"
	}
	switch r.Store {
	case "redis":
		return "compare the owner value and " + verb + " in one script"
	case "etcd":
		return "revoke the lease, or " + verb + " in a Txn that compares CreateRevision or the value"
	case "consul":
		return "release with the session, or use DeleteCAS"
	case "zookeeper":
		return "pass the version that the acquire returned, or use a sequential node"
	case "nats":
		return "pass LastRevision of the acquire"
	case "sql":
		return "add the owner or token of this acquisition to the WHERE"
	case "mongo":
		return "add the owner of this acquisition to the filter"
	case "dynamodb":
		return "add a ConditionExpression on the owner"
	case "s3", "gcs":
		return "pass IfMatch with the etag or generation of the acquire"
	case "memcache":
		return "memcache cannot compare and delete: let the item expire, or keep the lock elsewhere"
	case "file":
		return "a file name cannot be compared and removed in one step: use a kernel lock, or never take over a stale file"
	}
	return "let the store compare the owner in the same step"
}

func confidence(r *leaseflow.UnsafeRelease) finding.Confidence {
	switch {
	case r.NoExpiry, r.Forced, r.Origin == leaseflow.HostOrigin && r.Compared && !r.Unnamed, r.Said && !r.Script && !r.Compared:
		return finding.Low
	case r.Acquire == nil, r.Inferred, r.Unnamed:
		return finding.Medium
	}
	return finding.High
}
