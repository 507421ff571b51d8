package leaseflow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// alsoFree reports whether a message, or a note of how things are, is also made
// on a way that takes no lease: it is then not what the lease is there for, but
// goes along with what is. Nothing can be concluded so for data: that one path
// forgets the lease is a mistake of its own.
func (p *program) alsoFree(e, last *event) bool {
	if e.RMW {
		return false
	}
	if fn := e.body; fn != nil && root(fn) != root(e.fn) && (e.Action == Send || hasAny(statusWords, split(fn.Name()))) && p.saysTheSame(e) && p.reachedFree(fn, nil) {
		return true
	}
	c := p.callee(last.call.Common())
	if c.obj == nil || e.Action == Send || !hasAny(statusWords, split(c.obj.Name())) {
		return false
	}
	for _, fn := range p.fns {
		for _, o := range p.all[fn] {
			if o.Kind == Write && o.call != last.call && o.At == last.At && p.callee(o.call.Common()).obj == c.obj && !p.inTest(fn) && !p.leased(o.call, fn) && p.reachedFree(fn, nil) {
				return true
			}
		}
	}
	return false
}

// optional reports whether the same function comes to a change also by a way on
// which it does not ask for the lease: that is there for something else. A lock that
// is asked for wherever one is set up is there for the change all the same, and an
// acquire that is tried again and again may seem to be passed by.
func optional(a, e *event) bool {
	if a.call == nil || a.fn != e.fn || a.Held {
		return false
	}
	at := a.call.Block()
	if at == e.call.Block() || reachable(at.Succs, at, nil) {
		return false
	}
	for d := at.Idom(); d != nil; d = d.Idom() {
		cond, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		for i, s := range d.Succs {
			if (s == at || s.Dominates(at)) && pathAvoiding(d.Succs[1-i], e.call.Block(), at) && !asksSetting(cond.Cond, i) {
				return true
			}
		}
	}
	return false
}

// asksSetting reports whether a branch is taken where something is set up: it is
// not nil, or a field says so.
func asksSetting(cond ssa.Value, side int) bool {
	switch c := cond.(type) {
	case *ssa.BinOp:
		k, ok := c.Y.(*ssa.Const)
		return ok && k.Value == nil && !isError(c.X.Type()) && (c.Op == token.NEQ) == (side == 0)
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return asksSetting(c.X, 1-side)
		}
		_, ok := c.X.(*ssa.FieldAddr)
		return ok
	}
	return false
}

// saysTheSame reports whether a function that is called sends to one address, or
// writes one record, whoever calls it: a helper that is given the name says
// nothing of what it is given here.
func (p *program) saysTheSame(e *event) bool {
	if inner := p.sameEffect(e, e.body); inner != nil && inner.Key.telling() {
		return !inner.Key.given()
	}
	for i, v := range e.body.Params {
		if !isContext(v.Type()) && (i > 0 || e.body.Signature.Recv() == nil) {
			return false
		}
	}
	return true
}

// given reports whether a name, or a part of it, is a parameter.
func (t Term) given() bool {
	return t.Op == opParam || t.Op != opField && slices.ContainsFunc(t.Args, Term.given)
}

// statusWords name notes of how things are, which are made again and again.
var statusWords = map[string]bool{"status": true, "statuses": true, "heartbeat": true, "alive": true}

// reachedFree reports whether a function is called, from where calls come in,
// on a way that holds no lease.
func (p *program) reachedFree(fn *ssa.Function, seen []*ssa.Function) bool {
	if slices.Contains(seen, fn) || len(seen) > 6 || len(p.heldEntry[fn]) > 0 {
		return false
	}
	seen = append(seen, fn)
	if fn.Parent() != nil {
		return p.reachedFree(fn.Parent(), seen)
	}
	called := false
	for _, site := range p.callers[fn] {
		from := site.Parent()
		if p.inTest(from) {
			continue
		}
		called = true
		if !p.leased(site, from) && p.reachedFree(from, seen) {
			return true
		}
	}
	return !called
}

// leased reports whether a call runs while its function holds a lease.
func (p *program) leased(call ssa.CallInstruction, fn *ssa.Function) bool {
	return slices.ContainsFunc(p.regions(fn, p.all[fn]), func(r *region) bool { return r.held.has(call) })
}
