package leaseflow

import (
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// lostSignals finds the news of a lost lease that nobody listens to: a channel
// or context that a call returned, the answer of a renewal that ends with the
// lease, the end of the session that a leader's key hangs on.
func (p *program) lostSignals(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	calls(fn, func(call ssa.CallInstruction) {
		c := p.callee(call.Common())
		for _, row := range p.rowsOf(c.obj) {
			if f, ok := p.lostSignal(fn, call, c, row); ok {
				out = append(out, f)
			}
		}
	})
	for _, e := range evs {
		if e.Kind != Acquire || !e.direct || e.spawned || !p.leadsForLong(e) || p.watchesSession(e.Store) {
			continue
		}
		f := e.fault(LostSignalIgnored)
		f.Variant, f.Certain = "session", false
		out = append(out, f)
	}
	return out
}

func (p *program) lostSignal(fn *ssa.Function, call ssa.CallInstruction, c callee, row *models.Row) (Fault, bool) {
	switch row.Role {
	case models.Acquire, models.TryAcquire, models.SessionCtor, models.Extend:
	default:
		return Fault{}, false
	}
	pl, ok := row.First("lost")
	if !ok {
		pl, ok = row.First("lockctx")
	}
	if !ok || pl.Root != models.Result {
		return Fault{}, false
	}
	f := Fault{Kind: LostSignalIgnored, Pos: call.Pos(), API: c.obj.Name(), Store: row.Store, Certain: true}
	if row.Role == models.SessionCtor || row.Role == models.Extend && row.Candidate {
		if !p.takesIn(row.Store) {
			return f, false
		}
	}
	if row.Role == models.SessionCtor && !p.exposedIn(row.Store) {
		return f, false
	}
	switch call := call.(type) {
	case *ssa.Go: // what it returns is lost
		f.Variant = "spawned"
		return f, row.Role == models.Extend
	case *ssa.Call:
		v := resultValue(call, pl.Index)
		if !used(v) {
			return f, true
		}
		// a renewal that runs as long as the lease, in a goroutine of its own
		if row.Role == models.Extend && isError(v.Type()) && p.spawnedHere(fn) && p.inert(fn, func(in ssa.CallInstruction) bool {
			return in == ssa.CallInstruction(call) || p.getter(in)
		}) {
			f.Variant = "told"
			return f, true
		}
	}
	return f, false
}

// takesIn reports whether the package takes leases in a store.
func (p *program) takesIn(store string) bool {
	for _, fn := range p.fns {
		for _, e := range p.all[fn] {
			if e.Store == store && p.takesLease(e) {
				return true
			}
		}
	}
	return false
}

// exposedIn reports whether a stale holder changes the store that the lease
// lives in: its client connects anew by itself, and the change goes through.
func (p *program) exposedIn(store string) bool {
	return slices.ContainsFunc(p.writes, func(x Exposure) bool { return x.Write.Store == store && x.Acquirer.Store == store })
}

// spawnedHere reports whether fn is a func literal that only a go statement runs.
func (p *program) spawnedHere(fn *ssa.Function) bool {
	if fn.Parent() == nil {
		return false
	}
	callers := p.callers[fn]
	for _, call := range callers {
		if _, spawned := call.(*ssa.Go); !spawned {
			return false
		}
	}
	return len(callers) > 0
}

// leadsForLong reports whether an acquire begins a leadership, which lasts
// until it is lost.
func (p *program) leadsForLong(e *event) bool {
	row := p.rowWith(p.callee(e.call.Common()), models.Acquire)
	return row != nil && row.Attr["verb"] == "lead"
}

// watchesSession reports whether the package asks a store's client for the end
// of a session or the changes of a leadership.
func (p *program) watchesSession(store string) bool {
	for _, fn := range p.fns {
		found := false
		calls(fn, func(call ssa.CallInstruction) {
			found = found || slices.ContainsFunc(p.rowsOf(p.callee(call.Common()).obj), func(r *models.Row) bool {
				return r.Role == models.Check && r.Store == store
			})
		})
		if found {
			return true
		}
	}
	return false
}
