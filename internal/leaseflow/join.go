package leaseflow

import (
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// lateJoins finds releases that come before the wait for what was started
// under the lock.
func (p *program) lateJoins(fn *ssa.Function, evs []*event) []Fault {
	leases := p.leases(evs)
	if len(leases) == 0 {
		return nil
	}
	var joins, spawns []ssa.CallInstruction
	calls(fn, func(call ssa.CallInstruction) {
		c := p.callee(call.Common())
		switch _, spawned := call.(*ssa.Go); {
		case p.isRow(c, models.Join):
			joins = append(joins, call)
		case spawned && !p.keepsLease(c.fn):
			spawns = append(spawns, call)
		case p.isRow(c, models.Spawn):
			if row := p.rowWith(c, models.Spawn); row != nil {
				if pl, ok := row.First("body"); ok && !p.keepsLease(p.calleeOf(site{p, call, c, row}.value(pl), nil).fn) {
					spawns = append(spawns, call)
				}
			}
		}
	})
	var out []Fault
	for _, a := range leases {
		r := p.regionOf(a, evs)
		begun := slices.IndexFunc(spawns, func(s ssa.CallInstruction) bool { return r.held.has(s) })
		if begun < 0 {
			continue
		}
		add := func(rel *event, join ssa.CallInstruction) {
			f := rel.fault(ReleaseBeforeWorkEnds)
			f.Acquire = p.placeOfEvent(a)
			f.Write = &Place{Pos: spawns[begun].Pos()}
			f.Check = &Place{Pos: join.Pos()}
			out = append(out, f)
		}
		again := map[*ssa.BasicBlock]bool{a.call.Block(): true}
		for _, rel := range r.ends {
			if !comesAfter(spawns[begun], rel.call, again) {
				continue
			}
			for _, j := range joins {
				if _, deferred := j.(*ssa.Defer); deferred {
					add(rel, j)
				} else if comesAfter(rel.call, j, again) && !slices.ContainsFunc(joins, func(k ssa.CallInstruction) bool {
					_, deferred := k.(*ssa.Defer)
					return !deferred && before(k, rel.call) && before(spawns[begun], k)
				}) {
					add(rel, j)
				}
			}
		}
		for _, rel := range r.defers {
			waits := func(j ssa.CallInstruction) bool {
				_, deferred := j.(*ssa.Defer)
				return !deferred || before(rel.call, j)
			}
			if slices.ContainsFunc(joins, waits) {
				continue
			}
			for _, j := range joins { // what is deferred first runs last
				if before(j, rel.call) {
					add(rel, j)
				}
			}
		}
	}
	return out
}

// keepsLease reports whether a function only renews or watches a lease.
func (p *program) keepsLease(fn *ssa.Function) bool {
	return fn != nil && slices.ContainsFunc(p.all[fn], func(e *event) bool { return e.Kind == Renew || e.Kind == Check })
}
