package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// twoSteps finds locks that are taken by a look and a write: two that look at
// the same time both find the lock free, and both take it.
func (p *program) twoSteps(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, w := range evs {
		if w.Kind != Write || w.Action != Overwrite || w.Guard > StatusOnly || w.deferred || w.spawned || !w.Key.known() || w.Script || p.onQueue(w) || p.onTransaction(w) {
			continue
		}
		if !p.ownWords(w.Key) && !w.Lock && !hasWord(lockWords, root(fn).Name()) || p.holdsRow(w, evs) {
			continue
		}
		if slices.ContainsFunc(evs, func(a *event) bool { return p.takesLease(a) && sameKey(a, w) }) {
			continue
		}
		for _, r := range evs {
			if r.Kind != Read && !(r.Kind == Check && r.Candidate) || r.Tx || r.Store != w.Store || r.call == w.call || !sameKey(r, w) {
				continue
			}
			if !p.foundFree(r, w) {
				continue
			}
			f := w.fault(AcquireNotAtomic)
			f.Check = p.placeOfEvent(r)
			f.Certain = f.Certain && p.ownWords(w.Key)
			out = append(out, f)
			break
		}
	}
	return out
}

// foundFree reports whether w runs only because the read found nothing.
func (p *program) foundFree(r, w *event) bool {
	b := w.call.Block()
	for d := b.Idom(); d != nil; d = d.Idom() {
		cond, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		free := p.sense(cond.Cond, func(v ssa.Value) bool { return p.gate(v, r, 0) }, 0)
		if free < 0 || failedOnly(cond.Cond) {
			continue
		}
		if s := d.Succs[free]; (s == b || s.Dominates(b)) && onlyWay(d, free, b) {
			return true
		}
	}
	return false
}

// failedOnly reports a test of an error against nil: it tells a failure, not an
// absence.
func failedOnly(cond ssa.Value) bool {
	b, ok := cond.(*ssa.BinOp)
	if !ok || !isError(b.X.Type()) {
		return false
	}
	k, ok := b.Y.(*ssa.Const)
	return ok && k.Value == nil
}

// onTransaction reports whether a change goes through a value that says it is
// a transaction.
func (p *program) onTransaction(e *event) bool {
	c := p.callee(e.call.Common())
	if !c.hasRecv || len(c.args) == 0 {
		return false
	}
	named := namedOf(c.args[0].Type())
	return named != nil && slices.Contains(split(named.Obj().Name()), "tx")
}
