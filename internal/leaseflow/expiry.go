package leaseflow

import (
	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// lateExpiries finds locks that get their expiry in a second command: whoever
// dies between the two leaves a lock that nobody can take.
func (p *program) lateExpiries(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, a := range p.leases(evs) {
		if !a.NoExpiry || !a.Candidate || a.Unique || a.Script || p.onQueue(a) {
			continue
		}
		for _, e := range evs {
			if e.Kind != Write && e.Kind != Renew || e.Action != Prolong || e.Store != a.Store || e.At == a.At || e.Script || p.onQueue(e) {
				continue
			}
			if !sameKey(a, e) || !follows(a.call, e.call) {
				continue
			}
			f := a.fault(NonAtomicTTL)
			f.Write = p.placeOfEvent(e)
			out = append(out, f)
			break
		}
	}
	return out
}

// sameKey reports whether two events of one function are about one key.
func sameKey(a, b *event) bool {
	return a.Key.known() && b.Key.known() && (a.Key.Equal(b.Key) || sameShape(a.Key, b.Key))
}

// onQueue reports whether a command is queued, to take effect with others.
func (p *program) onQueue(e *event) bool {
	if e.Tx || p.queued[e.fn] {
		return true
	}
	c := p.callee(e.call.Common())
	if !c.hasRecv || len(c.args) == 0 {
		return false
	}
	queue := false
	p.slice(c.args[0], func(v ssa.Value) bool {
		if made, ok := v.(*ssa.Call); ok && p.isRow(p.callee(&made.Call), models.TxBegin) {
			queue = true
		}
		return !queue
	})
	if queue {
		return true
	}
	pr, ok := c.args[0].(*ssa.Parameter) // of a body that a transaction runs
	if !ok {
		return false
	}
	named := namedOf(pr.Type())
	return named != nil && hasAny(map[string]bool{"pipe": true, "pipeliner": true, "pipeline": true, "tx": true}, split(named.Obj().Name()))
}
