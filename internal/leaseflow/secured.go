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
		if e.Kind != Write || !e.direct || e.Store != "sql" || e.Guard >= MaybeGuard || e.deferred || e.spawned {
			continue
		}
		tx := p.runsOn(e)
		if !tx.known() {
			continue
		}
		if slices.ContainsFunc(evs, func(o *event) bool {
			return o.call != e.call && o.direct && before(o.call, e.call) && p.runsOn(o).Equal(tx) &&
				(o.Kind == Read && o.Tx && o.Key.Equal(e.Key) || o.Kind == Write && o.Guard >= Conditional && p.foundRow(o, e))
		}) {
			e.Guard = SameTx
		}
	}
}

// runsOn names the transaction whose method an event calls; unknown where it is none.
func (p *program) runsOn(e *event) Term {
	c := p.callee(e.call.Common())
	if !c.hasRecv || len(c.args) == 0 || !p.isTransaction(c.args[0].Type()) {
		return Term{}
	}
	return p.term(c.args[0])
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
