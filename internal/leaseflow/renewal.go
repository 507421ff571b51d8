package leaseflow

import (
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// unheardRenewals finds renewals whose failure changes nothing: the work goes
// on as if the lease were held.
func (p *program) unheardRenewals(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, e := range evs {
		if e.Kind != Renew || e.Unsafe || e.spawned || e.Candidate && !p.takesIn(e.Store) {
			continue
		}
		call, ok := e.call.(*ssa.Call)
		if !ok {
			continue
		}
		if variant, ok := p.unheard(call, e); ok && variant == "" {
			f := e.fault(RenewResultIgnored)
			out = append(out, f)
		} else if p.failureOnlyTold(e) {
			f := e.fault(RenewResultIgnored)
			f.Variant, f.Certain = "told", false
			out = append(out, f)
		}
	}
	return out
}

// failureOnlyTold reports whether the failure of a renewal in a loop is logged,
// and the loop goes on.
func (p *program) failureOnlyTold(e *event) bool {
	told := false
	for _, b := range e.fn.Blocks {
		cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		side := p.failure(cond.Cond, e)
		if side < 0 {
			continue
		}
		failed := b.Succs[side]
		if !p.onlyFailed(failed, e) || !reachable([]*ssa.BasicBlock{failed}, e.call.Block(), nil) {
			return false
		}
		for _, x := range e.fn.Blocks {
			if failed.Dominates(x) && !p.inertBlock(x, nil) {
				return false
			}
		}
		if other := b.Succs[1-side]; len(other.Preds) == 1 && p.measures(other, failed) {
			return false
		}
		told = true
	}
	return told
}

// onlyFailed reports whether every way into a block is a failure of e.
func (p *program) onlyFailed(b *ssa.BasicBlock, e *event) bool {
	for _, pred := range b.Preds {
		cond, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If)
		if !ok {
			return false
		}
		if side := p.failure(cond.Cond, e); side < 0 || pred.Succs[side] != b {
			return false
		}
	}
	return true
}

// measures reports whether the side of the successful asks the clock, to judge
// by it how long the renewal has failed.
func (p *program) measures(succeeded, failed *ssa.BasicBlock) bool {
	for _, x := range succeeded.Parent().Blocks {
		if x != succeeded && !succeeded.Dominates(x) || failed.Dominates(x) {
			continue
		}
		for _, in := range x.Instrs {
			if call, ok := in.(*ssa.Call); ok && p.isRow(p.callee(&call.Call), models.Clock) {
				return true
			}
		}
	}
	return false
}

// blindRenewals finds renewals that ask for no owner: by an expiry of the key
// alone, or by a plain set in a loop.
func (p *program) blindRenewals(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, pr := range p.pairs {
		if u := pr.release; u.fn == fn && u.Kind == Renew && u.Unsafe && u.Action == Prolong && pr.acquire != nil && (pr.acquire.fn != fn || p.inLoop(u)) {
			f := u.fault(BlindRenew)
			f.Acquire = p.placeOfEvent(pr.acquire)
			out = append(out, f)
		}
	}
	for _, w := range evs {
		if w.Kind != Write || w.Action != Overwrite || w.Guard > StatusOnly || !w.direct || w.deferred || w.Script || !w.Key.known() {
			continue
		}
		a := p.lockOf(w)
		if a == nil || !p.setsOwner(w, a) || !p.inLoop(w) {
			continue
		}
		f := w.fault(BlindRenew)
		f.Variant, f.Acquire = "set", p.placeOfEvent(a)
		out = append(out, f)
	}
	return out
}

// lockOf finds the acquire that puts the record which a write changes.
func (p *program) lockOf(w *event) *event {
	for _, fn := range p.fns {
		for _, a := range p.all[fn] {
			if a.direct && a.Candidate && a.Store == w.Store && p.takesLease(a) && (sameKey(a, w) || slices.Contains(a.Aliases, w.Key.Shape())) {
				return a
			}
		}
	}
	return nil
}

// setsOwner reports whether a write stores the value that an acquire stores.
func (p *program) setsOwner(w, a *event) bool {
	c := p.callee(w.call.Common())
	row := p.rowWith(c, models.Write)
	if row == nil {
		return w.Owner.known() && a.Owner.known() && (w.Owner.Equal(a.Owner) || sameShape(w.Owner, a.Owner))
	}
	pl, ok := row.First("value")
	if !ok {
		return false
	}
	t := p.term(site{p, w.call, c, row}.value(pl))
	return t.known() && (t.Equal(a.Owner) || sameShape(t, a.Owner))
}

// inLoop reports whether an event happens again and again.
func (p *program) inLoop(e *event) bool {
	return reachable(e.call.Block().Succs, e.call.Block(), nil)
}

// reacquires finds renewals that take the lock anew when they fail, and go on
// as if it had been held all the time; and the option of a client that does so.
func (p *program) reacquires(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	calls(fn, func(call ssa.CallInstruction) {
		c := p.callee(call.Common())
		if row := p.rowWith(c, models.Option); row != nil && row.Attr["verb"] == "reacquire" {
			out = append(out, Fault{Kind: SilentReacquire, Variant: "option", Pos: call.Pos(), API: c.obj.Name(), Store: row.Store, Certain: true})
		}
	})
	for _, e := range evs {
		if e.Kind != Renew || e.deferred || e.spawned || e.Candidate && !p.hasLeases {
			continue
		}
		p.answers(e, func(_ ssa.Value, _, failed *ssa.BasicBlock) {
			if !p.onlyFailed(failed, e) {
				return
			}
			for _, a := range p.leases(evs) {
				if a.call == e.call || !failed.Dominates(a.call.Block()) || !matches(&a.Effect, &e.Effect) || !reachable([]*ssa.BasicBlock{a.call.Block()}, e.call.Block(), nil) || p.tellsWorker(a, failed) {
					continue
				}
				f := a.fault(SilentReacquire)
				f.Check = p.placeOfEvent(e)
				f.Certain = false
				out = append(out, f)
			}
		})
	}
	return out
}

// tellsWorker reports whether anything on the side of those who lost the lease
// is done besides taking it again.
func (p *program) tellsWorker(a *event, failed *ssa.BasicBlock) bool {
	for _, x := range failed.Parent().Blocks {
		if failed.Dominates(x) && !p.inertBlock(x, func(in ssa.CallInstruction) bool { return in == a.call || p.partOf(in, a.call) }) {
			return true
		}
	}
	return false
}
