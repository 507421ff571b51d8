package leaseflow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// FaultKind names a mistake in how a lease is taken, kept, watched or given up.
// The kinds are the categories of the further passes.
type FaultKind string

// The kinds of leaseloss: the end of the lease goes unnoticed.
const (
	LostSignalIgnored    FaultKind = "lostsignalignored"
	LeaderContextDropped FaultKind = "leaderctxdropped"
	KeepAliveContext     FaultKind = "keepalivectx"
	RenewResultIgnored   FaultKind = "renewresultignored"
	BlindRenew           FaultKind = "blindrenew"
	SilentReacquire      FaultKind = "silentreacquire"
)

// The kinds of lockresult: the lock is not what its taker believes.
const (
	LockResultIgnored  FaultKind = "lockresultignored"
	NonAtomicTTL       FaultKind = "nonatomicttl"
	KeyMismatch        FaultKind = "keymismatch"
	AcquireNotAtomic   FaultKind = "acquirenotatomic"
	RetryNotIdempotent FaultKind = "retrynotidempotent"
	AmbiguousResult    FaultKind = "ambiguousresult"
	ModeAsValue        FaultKind = "modeasvalue"
)

// SessionLockPooled is the kind of sessionlock: the lock of a session runs on
// whatever connection is free.
const SessionLockPooled FaultKind = "sessionlockpooled"

// The kinds of releaseorder: the release does not come, or comes too early.
const (
	UnlockCancelledContext FaultKind = "unlockcancelledctx"
	ReleaseBeforeCommit    FaultKind = "releasebeforecommit"
	ReleaseBeforeStop      FaultKind = "releasebeforestop"
	ReleaseBeforeWorkEnds  FaultKind = "releasebeforeworkends"
)

// The kinds of tokenissue: tokens that do not follow the order of the holders.
const (
	TokenReset     FaultKind = "tokenreset"
	TokenNotAtomic FaultKind = "tokennotatomic"
)

// Fault is one such mistake. It needs no write to be one.
type Fault struct {
	Kind     FaultKind
	Variant  string // which form of the kind, for the message; "" for the usual one
	Pos, End token.Pos
	API      string
	Store    string
	Acquire  *Place // where the lease is taken, when that is not at Pos
	Check    *Place // the decision or read that belongs to it
	Write    *Place // the work or change that belongs to it
	Release  *Place // where the lease is given up, when that is not at Pos
	Certain  bool   // every step was seen, and nothing about it depends on a caller
	Doubtful bool   // it is one only if a caller makes it one
}

// A detector finds the faults of one kind in one function.
type detector func(p *program, fn *ssa.Function, evs []*event) []Fault

var detectors = []detector{
	(*program).unheardAnswers,
	(*program).lateExpiries,
	(*program).mismatches,
	(*program).twoSteps,
	(*program).modesAsValues,
	(*program).retriedAcquires,
	(*program).unclearAnswers,
	(*program).pooledSessions,
	(*program).endedContexts,
	(*program).lateCommits,
	(*program).lateStops,
	(*program).lateJoins,
	(*program).lostSignals,
	(*program).droppedContexts,
	(*program).shortKeepAlives,
	(*program).unheardRenewals,
	(*program).blindRenewals,
	(*program).reacquires,
	(*program).tokenResets,
	(*program).lateTokens,
}

// faults lists the faults of the package, one of a kind at a place.
func (p *program) faults(all map[*ssa.Function][]*event) []Fault {
	type place struct {
		kind FaultKind
		pos  token.Pos
	}
	seen := map[place]bool{}
	var out []Fault
	for _, fn := range p.fns {
		if p.inTest(fn) || looksLikeTest(shortName(fn)) {
			continue
		}
		p.guarded(fn, func() {
			for _, detect := range detectors {
				for _, f := range detect(p, fn, all[fn]) {
					if at := (place{f.Kind, f.Pos}); !seen[at] {
						seen[at] = true
						out = append(out, f)
					}
				}
			}
		})
	}
	slices.SortStableFunc(out, func(a, b Fault) int { return p.inText(a.Pos, b.Pos) })
	return out
}

// fault begins the story of a fault at an event.
func (e *event) fault(kind FaultKind) Fault {
	return Fault{Kind: kind, Pos: e.pos(), API: e.API, Store: e.Store, Certain: !e.Inferred}
}

// takesLease reports whether an event is the acquire of a lease for certain.
func (p *program) takesLease(e *event) bool {
	return e.Kind == Acquire && !e.Held && (!e.Candidate || p.lockEvidence(e))
}

// leases lists the acquires in fn that take a lease where they stand.
func (p *program) leases(evs []*event) []*event {
	var out []*event
	for _, e := range evs {
		if p.takesLease(e) && !e.deferred && !e.spawned {
			out = append(out, e)
		}
	}
	return out
}
