package leaseflow

import (
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// namedByHolder reports whether a write changes a record that has the value of a
// lock in its name: what the handle says that it is, or what was read from the
// lock's record. Its successor has another value, and so another record.
func (p *program) namedByHolder(e *event, evs []*event) bool {
	return e.Kind == Write && p.holdsValue(e.Key, evs, 0)
}

func (p *program) holdsValue(t Term, evs []*event, depth int) bool {
	if depth > 4 {
		return false
	}
	if slices.ContainsFunc(t.Args, func(a Term) bool { return p.holdsValue(a, evs, depth+1) }) {
		return true
	}
	if t.v == nil || t.Op != opCall && t.Op != opUnknown {
		return false
	}
	if call, ok := t.v.(*ssa.Call); ok {
		if row := p.rowWith(p.callee(&call.Call), models.OwnerID); row != nil && len(row.Subject["token"]) > 0 {
			return true
		}
	}
	return slices.ContainsFunc(evs, func(r *event) bool {
		call, ok := r.call.(*ssa.Call)
		return ok && r.Kind == Read && p.isLockRecord(r.Key) && p.comesFrom(t.v, call)
	})
}
