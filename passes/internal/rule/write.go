package rule

import (
	"fmt"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/leaseflow"
)

// Story adds the steps of an exposed write in their order.
func Story(f *finding.Finding, x *leaseflow.Exposure) {
	Step(f, finding.Acquire, "lease acquired here", x.Acquire)
	Step(f, finding.Check, "checked here, by the worker alone", x.Check)
	Step(f, finding.Write, "called under the lease here", x.From)
	for i := range x.Also {
		Step(f, finding.Write, "and here", &x.Also[i])
	}
	for i := range x.Via {
		Step(f, finding.Write, "by way of this call", &x.Via[i])
	}
	Step(f, finding.Write, "written here", x.At)
	Step(f, finding.Release, "released here", x.Release)
	if x.Write.Inferred {
		f.Links = append(f.Links, "inferred: the write, through an interface or wrapper")
	} else {
		f.Links = append(f.Links, "seen: the write")
	}
	if x.Acquire != nil {
		f.Links = append(f.Links, "seen: the acquire")
	}
	if x.Write.RMW {
		f.Links = append(f.Links, "seen: what is written derives from what was read")
	}
}

// aside reports whether a write of a lease is told by another of it: a lease
// around a long stretch of work is one mistake, not forty. Of more than two
// writes to a store only the worst is told aloud, and of those that run without
// the lease too, whose mistake is at the acquire, only one. Beside one that stores
// what was read before, those that do not are not told aloud either.
func aside(x *leaseflow.Exposure) bool {
	return x.Rank > 0 && (x.Dropped || x.Among > 2 || x.Outdone)
}

// Others says how many writes stand aside for this one; "" for none.
func Others(x *leaseflow.Exposure) string {
	switch n := x.Among - 1; {
	case x.Rank > 0 || n < 1 || n == 1 && !x.Dropped && !x.Outdoes:
		return ""
	case n == 1:
		return " (one more write of this lease shows with -confidence low)"
	default:
		return fmt.Sprintf(" (%d more writes of this lease show with -confidence low)", n)
	}
}

// loses reports a change that loses or doubles data when two holders make it.
func loses(x *leaseflow.Exposure) bool {
	w := &x.Write
	return w.RMW || w.Action == leaseflow.Increment || w.Action == leaseflow.Send || x.Dropped || x.Escaped
}

// repeatable reports a change that a second holder may well make again without harm,
// as far as can be seen: an RPC, whose other side is often of the same project
// and made to be called twice, and behind an interface a request that carries
// nothing read before, or a message or row of its own.
func repeatable(w *leaseflow.Effect) bool {
	return w.Store == "grpc" || w.Inferred && !w.RMW && (w.Store == "http" || w.Action == leaseflow.Insert)
}

// WriteConfidence is high when everything was seen and the change loses or
// doubles data, medium when a link is inferred or the change may converge, and
// low when the lock, or the write, is likely one of efficiency only.
func WriteConfidence(x *leaseflow.Exposure) finding.Confidence {
	w := &x.Write
	switch {
	case w.Weak, x.NoExpiry, x.Kept, x.Test:
		return finding.Low
	case x.SharedName, x.MadeUp:
		return finding.Medium
	case aside(x):
		return finding.Low
	case w.Action == leaseflow.Take:
		return finding.Low // the store gives it to one alone
	case x.Beside && w.Action == leaseflow.Delete:
		return finding.Low // what the same goroutine writes is told
	case (w.Action == leaseflow.Delete || w.Action == leaseflow.Prolong) && !x.TakesOver && x.CheckKind != leaseflow.TokenCompare && !x.Dropped && !x.Escaped:
		return finding.Low // whoever does it again does no more
	case repeatable(w) && !x.Dropped && !x.Escaped:
		return finding.Low
	case w.Inferred || w.Guard == leaseflow.StatusOnly:
		return finding.Medium
	case loses(x):
		return finding.High
	}
	return finding.Medium
}

// Repair says what to do at the store: first a condition that needs no lock,
// then a fence, and where the other side can check neither, what is left.
func Repair(x *leaseflow.Exposure) string {
	switch x.Write.Store {
	case "http", "grpc", "connect", "kafka", "nats", "amqp", "sqs", "sns", "ses", "stripe", "email", "queue":
		return "the other side checks no lease: send an idempotency key or a condition, and reconcile"
	}
	if x.Write.Action == leaseflow.Send {
		return "the other side checks no lease: send an idempotency key or a condition, and reconcile"
	}
	return fmt.Sprintf("make the change conditional (%s), or let the store refuse an older fencing token", condition(x.Write.Store))
}

func condition(store string) string {
	switch store {
	case "sql":
		return "version in the WHERE, or a unique constraint"
	case "redis":
		return "compare and set in one script"
	case "etcd":
		return "a Txn that compares ModRevision or the lock's IsOwner"
	case "consul":
		return "CAS, or a Txn with check-session"
	case "zookeeper":
		return "the version that was read"
	case "mongo":
		return "version in the filter"
	case "dynamodb":
		return "ConditionExpression"
	case "s3", "gcs", "azureblob":
		return "IfMatch"
	case "kubernetes":
		return "resourceVersion"
	}
	return "compare a version at the store"
}
