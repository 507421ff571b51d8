package leaseflow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// event is an effect at a call of the function under view.
type event struct {
	Effect
	call     ssa.CallInstruction
	fn       *ssa.Function // the function that the call stands in
	direct   bool          // the call is the primitive itself
	deferred bool
	spawned  bool
	rewrites bool          // fn itself shows that the write stores what was read
	body     *ssa.Function // the function of this package that the effect happens in

	paired  bool   // pair has turned it into a release or renewal
	partner *event // of the acquire that it belongs to

	gated  map[ssa.Value]bool // answers of gate
	region *region            // computed once, by regionOf
	words  tri                // whether the words around it say lock, by lockEvidence
}

func (e *event) pos() token.Pos {
	if pos := e.call.Pos(); pos.IsValid() {
		return pos
	}
	return e.fn.Pos()
}

// events lists the effects of every call in fn, in the order of the code.
// Closures called elsewhere are not part of it.
func (p *program) events(fn *ssa.Function) []*event {
	var out []*event
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			out = append(out, p.eventsAt(call, fn)...)
		}
	}
	return out
}

func (p *program) eventsAt(call ssa.CallInstruction, fn *ssa.Function) []*event {
	if p.nesting > maxNesting {
		return nil
	}
	p.nesting++
	defer func() { p.nesting-- }()
	var out []*event
	_, deferred := call.(*ssa.Defer)
	_, spawned := call.(*ssa.Go)
	add := func(e Effect, direct bool, body *ssa.Function) {
		if spawned {
			e.Spawned = true
		}
		if e.Kind == Write && e.Guard < Conditional && direct && p.commitsIfUnchanged(call, fn) {
			e.Guard = Conditional
		}
		if e.Kind == Write && !e.Own {
			e.Own = p.ownRecord(&e)
		}
		e.Weak = e.Weak || direct && e.Kind == Write && e.Action == Increment && issuesNumbers(fn)
		ev := &event{Effect: e, call: call, fn: fn, direct: direct, deferred: deferred, spawned: spawned || e.Spawned, body: body}
		out = append(out, ev)
	}
	c := p.callee(call.Common())
	prims := p.primitives(call, c)
	for _, e := range prims {
		if e.Kind == Release || e.Kind == Write && e.Action == Delete {
			e.Ctx = p.contextOf(call, c)
		}
		if e.Kind == RunBody {
			p.runBody(e, c, call, e.Handle.v, add)
			continue
		}
		add(e, true, nil)
	}
	if len(prims) > 0 {
		return out
	}
	sum := p.summaryOf(c)
	if sum == nil {
		p.callOfParameter(c, add)
		p.callOfResult(c, add)
		p.handedOn(c, add)
		return out
	}
	for _, e := range sum.Effects {
		if p.elsewhere(&e, c) || !p.withPremises(&e, call, c.args) {
			continue
		}
		if e.Kind == RunBody && foreign(e, c.fn) {
			add(e, false, nil)
			continue
		}
		e = p.instantiate(e, call, c)
		if e.Kind == RunBody {
			if e.Func < len(c.args) && e.Func >= 0 {
				p.runBody(e, c, call, nil, add)
			}
			continue
		}
		add(e, false, c.fn)
	}
	return p.underGiven(out, c)
}

// summaryOf returns what is known of a callee.
func (p *program) summaryOf(c callee) *Summary {
	if isLogCall(c.obj) {
		return nil
	}
	if s := p.said[c.obj]; s != nil {
		return s
	}
	if s := p.inferred(c.obj); s != nil {
		return s
	}
	switch {
	case c.invoke && p.ifaces[c.obj] != nil:
		return p.ifaces[c.obj]
	case c.fn != nil:
		return p.sums[c.fn]
	case c.obj != nil && c.obj.Pkg() != nil && c.obj.Pkg() != p.pass.Pkg:
		s, seen := p.facts[c.obj]
		if !seen {
			var fact Summary
			if p.pass.ImportObjectFact(c.obj, &fact) {
				s = &fact
			}
			p.facts[c.obj] = s
		}
		return s
	}
	return nil
}

// instantiate writes an effect of a summary in the words of the caller.
func (p *program) instantiate(e Effect, call ssa.CallInstruction, c callee) Effect {
	arg := func(i int) Term {
		if i < len(c.args) {
			return p.term(c.args[i])
		}
		return Term{}
	}
	result := func(i int) Term {
		if call, ok := call.(*ssa.Call); ok {
			return p.unknownResult(call, i)
		}
		return Term{}
	}
	e.Key = e.Key.substitute(arg, result)
	e.Handle = e.Handle.substitute(arg, result)
	e.Owner = e.Owner.substitute(arg, result)
	e.Row = e.Row.substitute(arg, result)
	if e.Ctx.Op == opParam && e.Ctx.id == nil {
		n := e.Ctx.N
		e.Ctx = Term{}
		if n < len(c.args) {
			e.Ctx = p.lifetime(c.args[n], call.Parent(), 0)
		}
	}
	if e.Method.known() {
		e.byMethod(e.Method.substitute(arg, result))
	}
	if e.Origin == UnknownOrigin && e.Owner.known() {
		e.Origin = p.origin(e.Owner)
	}
	if e.Store == "http" && e.Kind == Write && e.Guard == Unguarded && slices.ContainsFunc(c.args, carriesVersion) {
		e.Guard = Conditional
	}
	if c.invoke {
		e.Inferred = true
		e.Weak = e.Weak || e.Kind == Write && e.Spawned // what one of the implementations keeps running is its own affair
	}
	if c.obj != nil {
		e.byName(c.obj.Name())
	}
	return e
}

// runBody adds the effects of the func argument that a call runs.
func (p *program) runBody(e Effect, c callee, call ssa.CallInstruction, fv ssa.Value, add func(Effect, bool, *ssa.Function)) {
	if fv == nil && e.Func >= 0 && e.Func < len(c.args) {
		fv = c.args[e.Func]
	}
	if fv == nil {
		return
	}
	target := p.calleeOf(fv, nil)
	p.noteWatch(e, target.fn, call.Parent())
	sum := p.summaryOf(target)
	if sum == nil {
		if i, fn := p.paramIndex(target.value); fn != nil {
			e.Func = i
			e.Handle = Term{id: fn}
			add(e, false, nil)
		}
		return
	}
	if e.Held {
		a := e
		a.Kind = Acquire
		a.Func = -1
		a.Held = true
		add(a, false, target.fn)
	}
	for _, be := range sum.Effects {
		if !p.withPremises(&be, call, target.args) {
			continue
		}
		be.Only = slices.Concat(e.Only, be.Only)
		if be.Kind == RunBody {
			if foreign(be, target.fn) {
				be.Held = be.Held || e.Held
				add(be, false, nil)
			}
			continue
		}
		// bound receiver of a method value, nothing else is known
		bound := func(i int) Term {
			if i < len(target.args) {
				return p.term(target.args[i])
			}
			return Term{}
		}
		be.Key = be.Key.substitute(bound, func(int) Term { return Term{} })
		be.Handle = be.Handle.substitute(bound, func(int) Term { return Term{} })
		be.Owner = be.Owner.substitute(bound, func(int) Term { return Term{} })
		be.Row = be.Row.substitute(bound, func(int) Term { return Term{} })
		if be.Ctx.Op == opParam && be.Ctx.id == nil {
			be.Ctx = Term{} // that of whoever runs it
		}
		if be.Kind == Write && e.Guard > be.Guard && (e.Guard != Fenced || be.Store == e.Store) {
			be.Guard = e.Guard
		}
		be.Held = e.Held
		add(be, false, target.fn)
	}
}

// foreign reports whether the func that a RunBody effect calls is a parameter
// of a function around fn, captured by the closure fn.
func foreign(e Effect, fn *ssa.Function) bool {
	of, ok := e.Handle.id.(*ssa.Function)
	return ok && of != fn
}

// paramIndex finds the parameter that a func value is, also through captures.
func (p *program) paramIndex(v ssa.Value) (int, *ssa.Function) {
	for range 4 {
		switch x := v.(type) {
		case *ssa.Parameter:
			return slices.Index(x.Parent().Params, x), x.Parent()
		case *ssa.FreeVar:
			v = p.binding(x)
		case *ssa.UnOp:
			switch a := x.X.(type) {
			case *ssa.Alloc:
				v = onlyStore(p.storesTo(a))
			case *ssa.FreeVar:
				b, ok := p.binding(a).(*ssa.Alloc)
				if !ok {
					return 0, nil
				}
				v = onlyStore(p.storesTo(b))
			default:
				return 0, nil
			}
		case *ssa.ChangeType:
			v = x.X
		default:
			return 0, nil
		}
		if v == nil {
			return 0, nil
		}
	}
	return 0, nil
}

// callOfParameter notes that a function calls what it was given.
func (p *program) callOfParameter(c callee, add func(Effect, bool, *ssa.Function)) {
	if c.value == nil {
		return
	}
	if i, fn := p.paramIndex(c.value); fn != nil {
		add(Effect{Kind: RunBody, Func: i, Verdict: -1, Handle: Term{id: fn}}, false, nil)
	}
}

// handedOn notes what literals run under a lease of their own when they are handed
// to a function that is not known: to a timer, a scheduler, a pool of workers.
func (p *program) handedOn(c callee, add func(Effect, bool, *ssa.Function)) {
	for _, a := range c.args {
		lit, ok := a.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		fn := lit.Fn.(*ssa.Function)
		sum := p.sums[fn]
		if sum == nil {
			continue
		}
		for _, e := range sum.Effects {
			if e.Kind == RunBody && e.Held && foreign(e, fn) {
				add(e, false, nil)
			}
		}
	}
}

// callOfResult treats the call of a func that came out of an acquire, or of a
// closing method of a handle that did, as the release.
func (p *program) callOfResult(c callee, add func(Effect, bool, *ssa.Function)) {
	var from ssa.Value
	switch {
	case c.value != nil:
		from = c.value
	case c.invoke && hasWord(releaseWords, c.obj.Name()):
		from = c.args[0]
	default:
		return
	}
	for range 4 {
		switch x := from.(type) {
		case *ssa.UnOp:
			if a, ok := x.X.(*ssa.Alloc); ok {
				from = onlyStore(p.storesTo(a))
				continue
			}
			if fv, ok := x.X.(*ssa.FreeVar); ok {
				if a, ok := p.binding(fv).(*ssa.Alloc); ok {
					from = onlyStore(p.storesTo(a))
					continue
				}
			}
		case *ssa.ChangeInterface:
			from = x.X
			continue
		case *ssa.MakeInterface:
			from = x.X
			continue
		}
		break
	}
	call, ok := from.(*ssa.Call)
	if ex, isEx := from.(*ssa.Extract); isEx {
		call, ok = ex.Tuple.(*ssa.Call)
	}
	if !ok || call == nil {
		return
	}
	if _, fn := call.Call.Value.(*ssa.Builtin); fn {
		return
	}
	for _, e := range p.eventsAt(call, call.Parent()) {
		if e.Kind == Acquire {
			r := Effect{Kind: Release, API: "unlock", Store: e.Store, Verdict: -1, Func: -1, Guard: MaybeGuard, Key: e.Key, Handle: p.term(from), Aliases: e.Aliases}
			add(r, false, nil)
		}
	}
}

func isFunc(t types.Type) bool { _, ok := t.Underlying().(*types.Signature); return ok }
