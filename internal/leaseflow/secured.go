package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// markSecured notes the changes that the transaction of their own function makes
// safe, whoever calls it: what is stored was read under the lock of its row, or
// an earlier conditional change of the same transaction has found its row, which
// a second holder does not find again.
func (p *program) markSecured(fn *ssa.Function, evs []*event) {
	for _, e := range evs {
		if e.Kind != Write || e.Store != "sql" || e.Guard >= MaybeGuard || e.deferred || e.spawned {
			continue
		}
		tx := p.runsOn(e)
		if !tx.known() {
			continue
		}
		if slices.ContainsFunc(evs, func(o *event) bool {
			return o.call != e.call && before(o.call, e.call) && p.runsOn(o).Equal(tx) &&
				(o.Kind == Read && o.Tx && o.Key.Equal(e.Key) || o.Kind == Write && o.Guard >= Conditional && p.foundRow(o, e))
		}) {
			e.Guard = SameTx
		}
	}
}

// runsOn names the transaction whose method an event calls, or that it hands to
// the function which does; unknown where there is none.
func (p *program) runsOn(e *event) Term {
	c := p.callee(e.call.Common())
	for i, a := range c.args {
		if mi, ok := a.(*ssa.MakeInterface); ok {
			a = mi.X
		}
		switch {
		case p.isTransaction(a.Type()):
			return p.term(a)
		case i == 0 && e.direct:
			return Term{}
		}
	}
	return Term{}
}

// foundRow reports whether e runs only after somebody looked at how many rows
// the change w has met, and did not come back for that.
func (p *program) foundRow(w, e *event) bool {
	call, ok := w.call.(*ssa.Call)
	return ok && slices.ContainsFunc(p.rowCounts(call), func(n ssa.Value) bool {
		return slices.ContainsFunc(*n.Referrers(), func(r ssa.Instruction) bool {
			test, ok := r.(*ssa.BinOp)
			return ok && slices.ContainsFunc(*test.Referrers(), func(r ssa.Instruction) bool {
				cond, ok := r.(*ssa.If)
				return ok && cond.Block().Dominates(e.call.Block()) && cond.Block() != e.call.Block() &&
					slices.ContainsFunc(cond.Block().Succs, func(s *ssa.BasicBlock) bool { return !pathAvoiding(s, e.call.Block(), cond.Block()) })
			})
		})
	})
}
