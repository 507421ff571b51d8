package leaseflow

import (
	"go/types"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// What ends a context, as constant terms.
const (
	ctxDetached = "context without an end"
	ctxEnds     = "context with a time limit" // or that of a request
	ctxStops    = "context of a signal or group"
)

// contextVerbs says what the models' rows about contexts mean.
var contextVerbs = map[string]string{"detach": ctxDetached, "timeout": ctxEnds, "request": ctxEnds, "stops": ctxStops}

// lifetime tells what ends the context v that a call in the function at gets:
// one of the constants, or a parameter of a function, whose callers decide. A
// time limit that at itself sets comes with what it was set upon: it may only
// bound this one call.
func (p *program) lifetime(v ssa.Value, at *ssa.Function, depth int) Term {
	if v == nil || depth > 10 {
		return Term{}
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return p.term(v)
	case *ssa.FreeVar:
		return p.lifetime(p.binding(v), at, depth+1)
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Alloc:
			return p.shortest(p.storesTo(addr), at, depth)
		case *ssa.FreeVar:
			if b, ok := p.binding(addr).(*ssa.Alloc); ok {
				return p.shortest(p.storesTo(b), at, depth)
			}
		}
	case *ssa.Phi:
		return p.shortest(v.Edges, at, depth)
	case *ssa.MakeInterface:
		return p.lifetime(v.X, at, depth+1)
	case *ssa.ChangeInterface:
		return p.lifetime(v.X, at, depth+1)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return p.madeContext(call, at, depth)
		}
	case *ssa.Call:
		return p.madeContext(v, at, depth)
	}
	return Term{}
}

// madeContext is the lifetime of the context that a call returns.
func (p *program) madeContext(call *ssa.Call, at *ssa.Function, depth int) Term {
	c := p.callee(&call.Call)
	var parent ssa.Value
	for _, a := range c.args {
		if isContext(a.Type()) {
			parent = a
			break
		}
	}
	for _, row := range p.rowsOf(c.obj) {
		end, ok := contextVerbs[row.Attr["verb"]]
		if !ok || len(row.Subject["ctx"]) == 0 || row.Role != models.Option && row.Role != models.Clock {
			continue
		}
		if end == ctxDetached || parent == nil || call.Parent() != at {
			return constTerm(end)
		}
		return Term{Op: opCall, Text: end, Args: []Term{p.lifetime(parent, at, depth+1)}, v: call}
	}
	if c.fn != nil && depth < 6 {
		if ret := onlyReturn(c.fn); ret != nil {
			for _, res := range ret.Results {
				if isContext(res.Type()) {
					if t := p.lifetime(res, nil, depth+2); t.Op == opConst {
						return t
					}
				}
			}
		}
	}
	return p.lifetime(parent, at, depth+1) // values and spans are added to a context
}

// shortest is the lifetime of a variable that holds one of several contexts.
func (p *program) shortest(vals []ssa.Value, at *ssa.Function, depth int) Term {
	var out Term
	for i, v := range vals {
		t := p.lifetime(v, at, depth+2)
		if t.Op == opCall || t.Op == opConst && t.Text != ctxDetached {
			return t
		}
		if i == 0 {
			out = t
		} else if !t.Equal(out) {
			out = Term{}
		}
	}
	return out
}

// contextOf is the lifetime of the context that a call runs on.
func (p *program) contextOf(call ssa.CallInstruction, c callee) Term {
	if row := p.rowWith(c, models.Release); row != nil && row.Attr["verb"] == "detach" {
		return constTerm(ctxDetached)
	}
	for _, a := range c.args {
		if isContext(a.Type()) {
			return p.lifetime(a, call.Parent(), 0)
		}
	}
	return Term{}
}

// exportContext writes a lifetime for the callers of fn.
func exportContext(t Term, fn *ssa.Function) Term {
	for t.Op == opCall { // set here, for this call
		t = t.Args[0]
	}
	switch {
	case t.Op == opConst:
		return t
	case t.Op == opParam && t.id == any(fn):
		return Term{Op: opParam, N: t.N}
	case t.Op == opParam && fn.Parent() != nil:
		return t
	}
	return Term{}
}

// endedContexts finds deferred releases on a context that may have ended by
// the time they run: the release is then never sent, and the lock stays taken
// until its time is over.
func (p *program) endedContexts(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, e := range evs {
		if !e.deferred || e.spawned || e.Kind != Release || !e.Ctx.known() && e.Ctx.Op == opUnknown {
			continue
		}
		variant, certain := p.mayEnd(fn, e.Ctx)
		if variant == "" {
			continue
		}
		a := p.takenHere(e, evs)
		if a == nil || p.releasedOtherwise(e, a, evs) {
			continue
		}
		f := e.fault(UnlockCancelledContext)
		f.Pos, f.Variant, f.Acquire = p.inBody(e), variant, p.placeOfEvent(a)
		f.Certain, f.Doubtful = f.Certain && certain, variant == "caller"
		out = append(out, f)
	}
	return out
}

// mayEnd tells what can end a context before the function returns; "" for
// nothing that is known.
func (p *program) mayEnd(fn *ssa.Function, t Term) (variant string, certain bool) {
	switch {
	case (t.Op == opConst || t.Op == opCall) && t.Text == ctxEnds:
		return "ends", true
	case (t.Op == opConst || t.Op == opCall) && t.Text == ctxStops:
		return "stops", false
	case t.Op == opParam && t.id == any(fn) && !p.detachedCallers(fn, t.N):
		return "caller", false
	}
	return "", false
}

// detachedCallers reports whether all callers in sight give fn a context that
// does not end.
func (p *program) detachedCallers(fn *ssa.Function, n int) bool {
	callers := p.callers[fn]
	for _, call := range callers {
		c := p.callee(call.Common())
		if n >= len(c.args) {
			return false
		}
		if t := p.lifetime(c.args[n], nil, 0); t.Op != opConst || t.Text != ctxDetached {
			return false
		}
	}
	return len(callers) > 0
}

// takenHere finds the acquire in the same function that a release belongs to.
func (p *program) takenHere(e *event, evs []*event) *event {
	for _, a := range p.leases(evs) {
		if a.call != e.call && matches(&a.Effect, &e.Effect) {
			return a
		}
	}
	var only *event // what a helper of one type takes, another of it gives up
	for _, a := range p.leases(evs) {
		if a.call == e.call || a.Store != e.Store {
			continue
		}
		if only != nil || a.direct {
			return nil
		}
		only = a
	}
	return only
}

// releasedOtherwise reports whether something else gives the lease up as well,
// such as the end of its session.
func (p *program) releasedOtherwise(e, a *event, evs []*event) bool {
	for _, o := range evs {
		if o.Kind == Release && o.call != e.call && o.deferred && o.Store == a.Store && !o.Ctx.Equal(e.Ctx) {
			return true
		}
	}
	return false
}

func isCancel(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Params().Len() == 0 && sig.Results().Len() == 0
}
