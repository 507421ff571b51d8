package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// markStale notes the writes of a func literal that runs under a lease which
// store what the function around it read: that was before the lease was taken,
// so that even a holder in time may overwrite what another stored meanwhile.
func (p *program) markStale(all map[*ssa.Function][]*event) {
	for fn := range p.heldEntry {
		if reads := readsAround(fn, all); len(reads) > 0 {
			p.guarded(fn, func() { p.markStaleIn(fn, reads, all) })
		}
	}
}

func (p *program) markStaleIn(fn *ssa.Function, reads []*event, all map[*ssa.Function][]*event) {
	for _, e := range all[fn] {
		if e.Kind != Write || e.Fixed || e.Action != Overwrite || e.deferred || e.Guard >= MaybeGuard {
			continue
		}
		c := p.callee(e.call.Common())
		for i, a := range c.args {
			if mi, ok := a.(*ssa.MakeInterface); ok {
				a = mi.X
			}
			// a whole record, not only its name
			if i == 0 && c.hasRecv || structUnder(a.Type()) == nil || !slices.ContainsFunc(p.readsBehind(a, reads), func(r *event) bool { return sameRecord(r, e) }) {
				continue
			}
			if p.storesParameter(e, i, all, 0) {
				e.RMW, e.rewrites = true, true
			}
		}
	}
}

// readsAround lists what the functions around a func literal read.
func readsAround(fn *ssa.Function, all map[*ssa.Function][]*event) []*event {
	var out []*event
	for outer := fn.Parent(); outer != nil; outer = outer.Parent() {
		for _, e := range all[outer] {
			if e.Kind == Read {
				out = append(out, e)
			}
		}
	}
	return out
}

// storesParameter reports whether the write behind a call stores argument i of
// the call, and marks the events on the way to it. A body that is not in sight
// is taken to store the record that it is given.
func (p *program) storesParameter(e *event, i int, all map[*ssa.Function][]*event, depth int) bool {
	if e.direct || e.body == nil || depth > 4 {
		return true
	}
	if i >= len(e.body.Params) {
		return false
	}
	return p.storesValue(e.body.Params[i], e, e.body, all, depth+1)
}

// storesValue reports whether an event of fn which is the one that e stands for
// stores v.
func (p *program) storesValue(v ssa.Value, e *event, fn *ssa.Function, all map[*ssa.Function][]*event, depth int) bool {
	found := false
	for _, o := range all[fn] {
		if o == e || o.At != e.At || o.Kind != e.Kind {
			continue
		}
		stores := false
		if o.body != nil && o.body.Parent() != nil && root(o.body) == root(fn) && depth <= 4 { // in a func literal that the call runs
			stores = p.storesValue(v, o, o.body, all, depth+1)
		} else {
			c := p.callee(o.call.Common())
			for i, a := range c.args {
				if mi, ok := a.(*ssa.MakeInterface); ok {
					a = mi.X
				}
				if (i > 0 || !c.hasRecv) && structUnder(a.Type()) != nil && p.comesFrom(a, v) && p.storesParameter(o, i, all, depth+1) {
					stores = true
				}
			}
		}
		if stores {
			o.RMW, found = true, true
		}
	}
	return found
}
