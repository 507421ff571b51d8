package leaseflow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// unheardAnswers finds acquires whose answer nothing looks at: the work goes
// on whether or not the lock was taken.
func (p *program) unheardAnswers(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, a := range p.leases(evs) {
		call, ok := a.call.(*ssa.Call)
		if !ok || a.Unique || a.body != nil && keepsAnswer(a.body) {
			continue
		}
		variant, ok := p.unheard(call, a)
		if !ok || !p.worksUnder(a, evs) {
			continue
		}
		f := a.fault(LockResultIgnored)
		f.Variant = variant
		f.Certain = f.Certain && (a.direct || variant == "")
		out = append(out, f)
	}
	return out
}

// refusalUnheard says that of an answer in two parts only the error is looked
// at, which is nil for those who are refused.
const refusalUnheard = "refusal"

// unheard reports whether the answer of an acquire, or the part of it that
// says no, goes nowhere.
func (p *program) unheard(call *ssa.Call, a *event) (variant string, ok bool) {
	res := call.Call.Signature().Results()
	if res.Len() == 0 {
		return "", false
	}
	if res.Len() == 1 {
		if !used(call) {
			return "", true
		}
		t := res.At(0).Type()
		if isError(t) || isBool(t) || !answersBool(t) {
			return "", false
		}
		return refusalUnheard, p.asksErrorOnly(call)
	}
	errHeard, hasBool, boolHeard, handleHeard := false, false, false, false
	for i := range res.Len() {
		v := resultValue(call, i)
		switch t := res.At(i).Type(); {
		case isError(t):
			errHeard = errHeard || used(v)
		case isBool(t):
			if len(a.Gates) > 0 && !slices.Contains(a.Gates, i) {
				continue
			}
			hasBool = true
			boolHeard = boolHeard || used(v)
		default:
			handleHeard = handleHeard || p.comparedWithNil(v)
		}
	}
	switch {
	case hasBool && boolHeard, !hasBool && (errHeard || handleHeard):
		return "", false
	case hasBool && errHeard:
		return refusalUnheard, true
	}
	return "", true
}

// answersBool reports whether a result is a command whose value is a bool.
func answersBool(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Val")
	m, ok := obj.(*types.Func)
	return ok && m.Signature().Results().Len() == 1 && isBool(m.Signature().Results().At(0).Type())
}

// asksErrorOnly reports whether of a command's reply nothing but the error is
// looked at.
func (p *program) asksErrorOnly(reply *ssa.Call) bool {
	asked := false
	var look func(v ssa.Value) bool
	look = func(v ssa.Value) bool {
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case *ssa.DebugRef:
			case *ssa.FieldAddr: // an embedded part with methods of its own
				if !look(r) {
					return false
				}
			case *ssa.Call:
				c := p.callee(&r.Call)
				if c.obj == nil || !c.hasRecv || len(c.args) == 0 || c.args[0] != v {
					return false
				}
				res := r.Call.Signature().Results()
				for i := range res.Len() {
					if used(resultValue(r, i)) {
						if !isError(res.At(i).Type()) {
							return false
						}
						asked = true
					}
				}
			default:
				return false
			}
		}
		return true
	}
	return look(reply) && asked
}

func (p *program) comparedWithNil(v ssa.Value) bool {
	if v == nil || v.Referrers() == nil {
		return false
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.BinOp:
			return true
		case *ssa.Return:
			return true // the caller looks
		case *ssa.Store:
			if _, local := r.Addr.(*ssa.Alloc); !local {
				return true
			}
		}
	}
	return false
}

// keepsAnswer reports whether a function notes what it was told: its result is
// then only one way to hear it.
func keepsAnswer(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Store:
				if _, field := in.Addr.(*ssa.FieldAddr); field {
					return true
				}
			case *ssa.MapUpdate, *ssa.Send:
				return true
			case *ssa.Call:
				if c := in.Call.StaticCallee(); c != nil && c.Pkg != nil && c.Pkg.Pkg.Path() == "sync/atomic" {
					return true
				}
			}
		}
	}
	return false
}

// worksUnder reports whether anything but the release happens once a lease is
// taken, here or in a caller that has no way to know.
func (p *program) worksUnder(a *event, evs []*event) bool {
	r := p.flow(a, evs)
	releases := map[ssa.CallInstruction]bool{}
	for _, e := range evs {
		if e.Kind == Release || e.Kind == Write && e.Unsafe || e.Kind == Write && e.Action == Delete {
			releases[e.call] = true
		}
	}
	works := false
	calls(a.fn, func(call ssa.CallInstruction) {
		if call != a.call && r.held.has(call) && !releases[call] && !p.tellsOnly(call) && !p.partOf(call, a.call) {
			works = true
		}
	})
	if works {
		return true
	}
	return len(r.returns) > 0 && len(r.defers) == 0 && len(gateResults(a.fn.Signature)) == 0 && a.fn.Parent() == nil && hasWord(lockWords, a.fn.Name())
}

// partOf reports whether a call only asks the reply of another.
func (p *program) partOf(call, of ssa.CallInstruction) bool {
	from, ok := of.(*ssa.Call)
	if !ok {
		return false
	}
	c := p.callee(call.Common())
	if !c.hasRecv || len(c.args) == 0 {
		return false
	}
	if part, ok := c.args[0].(*ssa.FieldAddr); ok {
		return part.X == ssa.Value(from)
	}
	return c.args[0] == ssa.Value(from)
}
