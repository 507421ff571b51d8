package leaseflow

import (
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// markKept notes which writes only keep a copy of an answer: the function
// stores, with an end or in place of a copy that it did not find, what it
// returns, or it stores what it has filled for its caller, from the same record
// if that was there. What is true stands elsewhere and is asked for again when
// the copy is gone, so nothing is lost with it.
func (p *program) markKept(fn *ssa.Function, evs []*event) {
	var answers map[ssa.Value]bool
	for _, e := range evs {
		if e.Kind != Write || e.Action != Overwrite || e.Weak {
			continue
		}
		c := p.callee(e.call.Common())
		if p.filled(e, c, evs) {
			e.Weak, e.RMW = true, false
			continue
		}
		if !hasEnd(c.args, e.Store) && !p.readThrough(e, c, evs) {
			continue
		}
		if answers == nil {
			answers = p.made(fn)
		}
		if len(answers) == 0 {
			return
		}
		for i, a := range c.args {
			if i == 0 && c.hasRecv || isContext(a.Type()) || isKeyArg(p, e, a) || isFunc(a.Type()) || isInteger(a.Type()) {
				continue
			}
			if p.comesFromOne(a, answers) {
				e.Weak, e.RMW = true, false
				break
			}
		}
	}
}

// filled reports whether a write stores a destination that its function was
// given, under the name from which that would have been filled.
func (p *program) filled(e *event, c callee, evs []*event) bool {
	for i, a := range c.args {
		dest, ok := a.(*ssa.Parameter)
		if !ok || i == 0 && c.hasRecv || !isPointer(a.Type()) && !types.IsInterface(a.Type()) || isContext(a.Type()) || changesField(dest) {
			continue
		}
		for _, r := range evs {
			if r.Kind != Read || r.Store != e.Store || r.call == e.call {
				continue
			}
			if from := p.callee(r.call.Common()).args; slices.Contains(from, a) && shareName(from, c.args, a) {
				return true
			}
		}
	}
	return false
}

// readThrough reports whether a write stores what was read somewhere else, under
// a name that was looked for before.
func (p *program) readThrough(e *event, c callee, evs []*event) bool {
	looked := slices.ContainsFunc(evs, func(r *event) bool {
		return r.Kind == Read && r.Store == e.Store && r.call != e.call && sameShape(r.Key, e.Key)
	})
	return looked && slices.ContainsFunc(evs, func(r *event) bool {
		call, ok := r.call.(*ssa.Call)
		return ok && r.Kind == Read && !(r.Store == e.Store && sameShape(r.Key, e.Key)) &&
			slices.ContainsFunc(c.args, func(a ssa.Value) bool { return !isContext(a.Type()) && !isKeyArg(p, e, a) && p.comesFrom(a, call) })
	})
}

// intoCache reports whether something that was not read before is written, or
// something is removed, in or by way of a method of what is called a cache: what is
// true stands elsewhere.
func (p *program) intoCache(e *event) bool {
	if e.RMW || e.Action == Increment || e.Action == Send {
		return false
	}
	if recv := root(e.fn).Signature.Recv(); recv != nil && saysCache(recv.Type()) {
		return true
	}
	for inner := range p.inward(e) {
		c := p.callee(inner.call.Common())
		if c.obj == nil || c.obj.Signature().Recv() == nil || !saysCache(c.obj.Signature().Recv().Type()) {
			continue
		}
		// a wrapper that takes any key is a store, whatever it is called
		if inner.direct || !slices.ContainsFunc(c.args, func(a ssa.Value) bool { return inner.Key.known() && p.term(a).Equal(inner.Key) }) {
			return true
		}
	}
	return false
}

// saysCache reports whether the name of a type ends in cache.
func saysCache(t types.Type) bool {
	named := namedOf(t)
	if named == nil {
		return false
	}
	words := split(named.Obj().Name())
	return len(words) > 0 && cacheWords[words[len(words)-1]]
}

// shareName reports whether two calls have an argument in common beside one.
func shareName(xs, ys []ssa.Value, beside ssa.Value) bool {
	return slices.ContainsFunc(xs, func(x ssa.Value) bool {
		b, ok := x.Type().Underlying().(*types.Basic)
		return x != beside && ok && b.Info()&types.IsString != 0 && slices.Contains(ys, x)
	})
}

// changesField reports whether a function sets a field of what it was given.
func changesField(param *ssa.Parameter) bool {
	return slices.ContainsFunc(*param.Referrers(), func(r ssa.Instruction) bool {
		fa, ok := r.(*ssa.FieldAddr)
		return ok && slices.ContainsFunc(*fa.Referrers(), func(u ssa.Instruction) bool { st, ok := u.(*ssa.Store); return ok && st.Addr == fa })
	})
}

// hasEnd reports whether a call names a time for which it shall last. A plain
// number tells so only where records can end by themselves.
func hasEnd(args []ssa.Value, store string) bool {
	for _, a := range args {
		duration := types.TypeString(a.Type(), nil) == "time.Duration"
		c, ok := a.(*ssa.Const)
		switch {
		case !isInteger(a.Type()) || !duration && store != "redis" && store != "memcache":
		case !ok && duration:
			return true
		case ok && c.Value != nil && constant.Sign(c.Value) > 0:
			return true
		}
	}
	return false
}

// made lists what the function's answers were made of: variables and results of
// calls. A number is no answer here: counters are told by their value.
func (p *program) made(fn *ssa.Function) map[ssa.Value]bool {
	out := map[ssa.Value]bool{}
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, res := range ret.Results {
			if isError(res.Type()) || isBool(res.Type()) || isInteger(res.Type()) {
				continue
			}
			p.slice(res, func(x ssa.Value) bool {
				switch x.(type) {
				case *ssa.Alloc, *ssa.Extract, *ssa.Call:
					out[x] = true
				}
				return true
			})
		}
	}
	return out
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
