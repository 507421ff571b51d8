package leaseflow

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// summarise writes what a caller needs to know of fn.
func (p *program) summarise(fn *ssa.Function, evs []*event) *Summary {
	s := &Summary{}
	results := p.resultsOf(fn)
	answers := answersOnly(evs)
	for _, e := range evs {
		out := e.Effect
		out.Spawned = e.spawned && !p.joined(e)
		out.Only = p.premisesOf(e)
		switch e.Kind {
		case Acquire:
			if e.Held || !p.heldAtReturn(e, evs) || p.untold(fn, e, evs) {
				continue
			}
			out.Gates = sayingNo(fn)
			out.Candidate = e.Candidate && !p.lockEvidence(e)
			out.Aliases = slices.Concat(out.Aliases, p.aliases(e.Key))
			if v := handleValue(e); v != nil {
				out.Aliases = slices.Concat(out.Aliases, p.handedOutIn(fn, v))
				if !out.Handle.known() {
					out.Handle = p.term(v)
				}
			}
		case Release, Renew:
			if p.ownAcquire(e, evs) {
				continue
			}
		case Check:
			i := p.verdictResult(fn, e)
			if i < 0 || !answers {
				continue
			}
			out.Verdict, out.Gates = i, []int{i}
		case Write:
			out.Leased = out.Leased || e.Action != Delete && p.inHeldRegion(e, evs)
		case Read:
			if !out.Key.known() && !p.loadsRecord(e, fn) {
				continue
			}
		case RunBody:
			of, ok := e.Handle.id.(*ssa.Function)
			if !ok {
				continue
			}
			out.Held = e.Held || p.runsHeld(e, evs)
			out.Func = e.Func
			if of == fn {
				out.Handle = Term{}
			}
			s.add(out)
			continue
		case Grant:
			continue
		}
		out.Key = p.export(out.Key, fn, results)
		out.Owner = p.export(out.Owner, fn, results)
		out.Row = p.export(out.Row, fn, results)
		out.Method = p.export(out.Method, fn, results)
		out.Handle = p.export(out.Handle, fn, results)
		out.Ctx = exportContext(out.Ctx, fn)
		s.add(out)
	}
	for _, v := range p.homeChecks(fn, evs) {
		if i := v.result; i >= 0 && answers {
			e := v.effect
			e.Verdict, e.Gates = i, []int{i}
			e.Only = nil
			e.Key = p.export(e.Key, fn, results)
			e.Handle = p.export(e.Handle, fn, results)
			s.add(e)
		}
	}
	if e := p.predicate(fn); e != nil && !slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Kind == Check }) {
		s.add(*e)
	}
	s.Reads = p.readResults(fn, evs)
	s.Pooled = p.pooledParams(fn)
	s.Makes = p.makes(fn)
	return s
}

// answersOnly reports whether a function, unless it refuses, neither takes a
// lease nor changes anything: what it found out is then for its caller to act
// on, while a function that works under the check is done with it.
func answersOnly(evs []*event) bool {
	return !slices.ContainsFunc(evs, func(e *event) bool {
		return (e.Kind == Acquire || e.Kind == Write) && !e.deferred && !refuses(e.call.Block())
	})
}

func (p *program) export(t Term, fn *ssa.Function, results func(ssa.Value) int) Term {
	u := t.portable(fn, results)
	if u.size() > 16 {
		return Term{}
	}
	return u
}

// resultsOf returns a function that tells which result of fn carries a value.
func (p *program) resultsOf(fn *ssa.Function) func(ssa.Value) int {
	var rets []*ssa.Return
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			rets = append(rets, ret)
		}
	}
	return func(v ssa.Value) int {
		if v == nil {
			return -1
		}
		for _, ret := range rets {
			for i, res := range ret.Results {
				if isError(res.Type()) || isBool(res.Type()) {
					continue
				}
				if res == v || p.flowsTo(v, res) {
					return i
				}
			}
		}
		return -1
	}
}

// handleValue returns the value that an acquire hands out: its first result
// that is no error and no bool.
func handleValue(e *event) ssa.Value {
	call, ok := e.call.(*ssa.Call)
	if !ok {
		return nil
	}
	res := call.Call.Signature().Results()
	for i := range res.Len() {
		if t := res.At(i).Type(); !isError(t) && !isBool(t) {
			return resultValue(call, i)
		}
	}
	return nil
}

// handedOutIn lists the fields that hold a handle in a struct which fn returns:
// its caller gives the lease up through the struct.
func (p *program) handedOutIn(fn *ssa.Function, handle ssa.Value) []string {
	var out []string
	for _, field := range p.holdersIndex().byValue[handle] {
		for res := range fn.Signature.Results().Variables() {
			if st := structUnder(res.Type()); st != nil && st.NumFields() > 0 && holderOf(field) == holderOf(fieldName(res.Type(), 0)) {
				out = append(out, field)
			}
		}
	}
	return out
}

// holderOf returns the full name of the struct of a field, or the package of a struct.
func holderOf(name string) string { return name[:max(strings.LastIndexByte(name, '.'), 0)] }

// heldAtReturn reports whether the function returns to its caller with the
// lease still held. One that gives it up and forgets to where something fails
// takes it for itself alone.
func (p *program) heldAtReturn(e *event, evs []*event) bool {
	if e.deferred || e.spawned {
		return false
	}
	r := p.regionOf(e, evs)
	if len(r.defers) > 0 || p.handsBackLater(e) {
		return false
	}
	return slices.ContainsFunc(r.returns, func(ret *ssa.Return) bool { return len(r.ends) == 0 || !afterFailure(ret.Block()) })
}

// handsBackLater reports whether a function defers a call that is given the handle of
// a lease and says that it gives it up, in whatever way. To close the handle of a lock
// file gives nothing up.
func (p *program) handsBackLater(e *event) bool {
	handle := handleValue(e)
	if handle == nil || e.Store == "file" {
		return false
	}
	found := false
	calls(e.fn, func(call ssa.CallInstruction) {
		d, ok := call.(*ssa.Defer)
		if !ok || found {
			return
		}
		c := p.callee(d.Common())
		found = c.obj != nil && hasWord(releaseWords, c.obj.Name()) && slices.Contains(c.args, handle)
	})
	return found
}

// ownAcquire reports whether the lease that e gives up was taken by the same
// function.
func (p *program) ownAcquire(e *event, evs []*event) bool {
	for _, a := range evs {
		if a.Kind == Acquire && a.call != e.call && p.ends(a, e) {
			return true
		}
	}
	return false
}

// runsHeld reports whether a function runs what it was given under a lease. One
// that looks at a refusal and runs it all the same only hopes to spare work, and what
// it has run before, to see whether the lease is needed, is not what that is for.
func (p *program) runsHeld(e *event, evs []*event) bool {
	return slices.ContainsFunc(evs, func(a *event) bool {
		return p.spans(a, e, evs) && (p.dropped(a) || !p.unheeded(a, e)) && !slices.ContainsFunc(evs, func(o *event) bool {
			return o.Kind == RunBody && o.Func == e.Func && o.Handle.id == e.Handle.id && before(o.call, a.call)
		})
	})
}

// inHeldRegion reports whether the call of e runs while a lease is held.
func (p *program) inHeldRegion(e *event, evs []*event) bool {
	return slices.ContainsFunc(evs, func(a *event) bool { return p.spans(a, e, evs) })
}

// spans reports whether a takes a lease that is held where e happens.
func (p *program) spans(a, e *event, evs []*event) bool {
	return a.Kind == Acquire && (!a.Candidate || p.lockEvidence(a)) && p.regionOf(a, evs).held.has(e.call)
}
