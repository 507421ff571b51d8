package leaseflow

import (
	"golang.org/x/tools/go/ssa"
)

// undoneLate finds the lease under which a func literal of this function took a
// record, which a deferred write then puts back: by that time the lease has been
// given up, and whoever holds it now may have taken the record too.
func (p *program) undoneLate(e *event, evs []*event) *region {
	if !e.deferred || e.body == nil {
		return nil
	}
	undo := p.sameEffect(e, e.body)
	if undo == nil {
		return nil
	}
	for _, w := range evs {
		taken, ok := w.call.(*ssa.Call)
		if !ok || w.Kind != Write || w.Store != e.Store || w.API != e.API || w.body == nil || w.body.Parent() != e.fn || !before(taken, e.call) {
			continue
		}
		if !p.writesWhatCameFrom(undo, taken) {
			continue
		}
		inner := p.sameEffect(w, w.body)
		if inner == nil {
			continue
		}
		for _, r := range regionsWith(p.regions(w.body, p.all[w.body]), inner) {
			if len(r.defers) > 0 || len(r.ends) > 0 {
				return r
			}
		}
	}
	return nil
}

// writesWhatCameFrom reports whether a write is of a record that a call returned.
func (p *program) writesWhatCameFrom(w *event, call *ssa.Call) bool {
	c := p.callee(w.call.Common())
	for i, a := range c.args {
		if (i > 0 || !c.hasRecv) && !isContext(a.Type()) && p.comesFrom(a, call) {
			return true
		}
	}
	return false
}
