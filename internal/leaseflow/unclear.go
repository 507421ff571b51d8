package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// unclearAnswers finds what is removed because a conditional change failed:
// that it returned an error, or met a newer state, does not mean that it did
// not take effect. The reply may have been lost, and a retry below may have met
// the change that the first try made.
func (p *program) unclearAnswers(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, w := range evs {
		if w.Kind != Write || w.Guard < OwnerGuard || w.Guard == SameTx || w.Action == Delete || w.deferred || w.spawned || w.Store == "file" || w.Store == "" {
			continue
		}
		call, ok := w.call.(*ssa.Call)
		if !ok || len(errorResults(call.Call.Signature())) == 0 || p.readsBack(w, evs) {
			continue
		}
		named := p.argumentTerms(call)
		region := p.flow(w, nil)
		for _, d := range evs {
			if d.Kind != Write || d.Action != Delete || d.call == w.call || d.deferred || d.spawned || !d.Key.known() || d.Key.Op == opConst {
				continue
			}
			if !slices.ContainsFunc(named, d.Key.Equal) || region.held.has(d.call) || !follows(w.call, d.call) || p.classified(w, d) {
				continue
			}
			f := d.fault(AmbiguousResult)
			f.Write = p.placeOfEvent(w)
			f.Certain = f.Certain && w.direct
			out = append(out, f)
		}
	}
	return out
}

// argumentTerms names the arguments of a call.
func (p *program) argumentTerms(call *ssa.Call) []Term {
	var out []Term
	for _, a := range call.Call.Args {
		if t := p.term(a); t.known() && t.Op != opConst {
			out = append(out, t)
		}
		es, _ := p.elements(a)
		for _, e := range es {
			if e == nil {
				continue
			}
			if t := p.term(e); t.known() && t.Op != opConst {
				out = append(out, t)
			}
		}
	}
	return out
}

// readsBack reports whether the store is asked what it holds after the change.
func (p *program) readsBack(w *event, evs []*event) bool {
	for _, r := range evs {
		if r.Kind == Read && r.Store == w.Store && (r.call == w.call || follows(w.call, r.call)) {
			return true
		}
	}
	return false
}

// classified reports whether d runs only after the error of w was told from
// others, as errors.Is does.
func (p *program) classified(w, d *event) bool {
	for b := d.call.Block().Idom(); b != nil; b = b.Idom() {
		cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		c := cond.Cond
		if not, ok := c.(*ssa.UnOp); ok {
			c = not.X
		}
		switch c := c.(type) {
		case *ssa.Call:
			for _, a := range c.Call.Args {
				if isError(a.Type()) {
					return true
				}
			}
		case *ssa.BinOp:
			if _, isConst := c.Y.(*ssa.Const); isError(c.X.Type()) && !isConst {
				return true
			}
		case *ssa.Extract: // a type assertion
			return true
		}
	}
	return false
}
