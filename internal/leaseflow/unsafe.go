package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// unsafeReleases judges the pairs that pair found.
func (p *program) unsafeReleases(pairs []pairing, all map[*ssa.Function][]*event) []UnsafeRelease {
	var out []UnsafeRelease
	stale := map[*event]bool{} // locks that some path takes from a holder that seems dead
	for _, pr := range pairs {
		if pr.acquire == nil {
			continue
		}
		if v := p.controlling(pr.release, p.verdicts(pr.release.fn, all[pr.release.fn])); v != nil && v.effect.Check == ClockCheck {
			stale[pr.acquire] = true
		}
	}
	for _, pr := range pairs {
		u, a := pr.release, pr.acquire
		r := UnsafeRelease{
			Pos: u.pos(), API: u.API, Store: u.Store, Renews: u.Kind == Renew, Script: u.Script, Origin: u.Origin,
			Inferred: u.Inferred, Forced: p.breaks(u, a), Test: p.testFile(u.pos()) || looksLikeTest(shortName(u.fn)),
		}
		v := p.controlling(u, p.verdicts(u.fn, all[u.fn]))
		r.Unseen = p.beatUnseen(u, v, all)
		switch {
		case r.Unseen:
		case u.Guard == OwnerGuard:
			r.Compared = true
			if a != nil && (u.Origin == UnknownOrigin || u.Origin == ConstOrigin) {
				r.Origin = a.Origin
			}
			if a == nil && u.Origin != ConstOrigin {
				continue
			}
			if r.Origin != ConstOrigin && r.Origin != HostOrigin {
				continue
			}
			if u.Origin == RandomOrigin || u.Origin == TimeOrigin {
				continue
			}
		case u.Guard > StatusOnly, p.holdsRow(u, all[u.fn]):
			continue
		}
		if !u.direct {
			r.Release = p.placeOf(&u.Effect)
		}
		if a != nil {
			r.Acquire = p.placeOfEvent(a)
			r.NoExpiry = a.NoExpiry && !stale[a]
			r.Early = p.early(u, a)
		}
		r.Said = a == nil && v == nil && !p.takesNear(u, all)
		if v != nil && (u.Guard <= StatusOnly || r.Unseen) {
			r.Check, r.CheckKind = p.placeOfVerdict(v), v.effect.Check
		}
		out = append(out, r)
	}
	out = append(out, p.rewrites(all, stale)...)
	return append(out, p.rereads(all)...)
}

// breaks reports whether a release is there to free what others hold, or what
// nobody does: who takes the lock in the same function frees it as its own.
func (p *program) breaks(u, a *event) bool {
	if p.migrates() {
		return true
	}
	return (a == nil || root(a.fn) != root(u.fn)) && (p.forced(root(u.fn)) || p.handleGone(u.call.Block()))
}

// takesNear reports whether a method of the same type as the one that frees a
// lock takes one of the same store, though under a key that cannot be compared.
func (p *program) takesNear(u *event, all map[*ssa.Function][]*event) bool {
	return slices.ContainsFunc(p.fns, func(fn *ssa.Function) bool {
		return siblings(fn, u.fn) && slices.ContainsFunc(all[fn], func(a *event) bool {
			return a.Kind == Acquire && a.Store == u.Store && !a.NoExpiry && (!a.Candidate || p.lockEvidence(a))
		})
	})
}

// early reports whether a deferred release is registered before the answer of
// the acquire is looked at, so that it runs for the losers too.
func (p *program) early(u, a *event) bool {
	if !u.deferred || u.fn != a.fn {
		return false
	}
	r := p.flow(a, nil)
	if !r.held.has(u.call) {
		return false
	}
	// is there a branch between the two that tells winners from losers?
	for d := u.call.Block(); d != nil; d = d.Idom() {
		if d == u.call.Block() {
			continue
		}
		if cond, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If); ok && p.failure(cond.Cond, a) >= 0 {
			return !p.wins(a, u.call.Block())
		}
		if d == a.call.Block() {
			break
		}
	}
	return true
}

// wins reports whether a bool or count of the acquire was tested on the way:
// an error alone does not tell a loser.
func (p *program) wins(a *event, b *ssa.BasicBlock) bool {
	needsBool := false
	if call, ok := a.call.(*ssa.Call); ok {
		res := call.Call.Signature().Results()
		for i := range res.Len() {
			needsBool = needsBool || isBool(res.At(i).Type())
		}
	}
	if !needsBool {
		return true
	}
	for d := b.Idom(); d != nil; d = d.Idom() {
		if cond, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If); ok && isBoolTest(cond.Cond, a) && p.failure(cond.Cond, a) >= 0 {
			return true
		}
		if d == a.call.Block() {
			break
		}
	}
	return false
}

func isBoolTest(v ssa.Value, a *event) bool {
	switch v := v.(type) {
	case *ssa.BinOp:
		return !isError(v.X.Type())
	case *ssa.Call: // of the acquire itself, or errors.Is
		return ssa.CallInstruction(v) == a.call
	}
	return true
}
