package leaseflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// ends reports whether a release may end what an acquire began.
func (p *program) ends(a, r *event) bool {
	return matches(&a.Effect, &r.Effect) || p.sameLocker(a, r)
}

// sameLocker reports whether an acquire and a release are called on one value
// and name nothing else: such a value is one lock. What stands behind its
// methods, above all behind those of an interface, may remember the lock in
// fields of which each of the two sees another.
func (p *program) sameLocker(a, r *event) bool {
	if otherRecord(a.Key, r.Key) || otherRecord(a.Row, r.Row) {
		return false
	}
	x := p.locker(a, 0)
	return x.known() && x.Equal(p.locker(r, 0))
}

// locker names the value whose method an event calls, also from a func literal
// that runs here; unknown when the call names more than that value.
func (p *program) locker(e *event, depth int) Term {
	c := p.callee(e.call.Common())
	if c.obj == nil {
		if e.body == nil || depth > 3 {
			return Term{}
		}
		if inner := p.sameEffect(e, e.body); inner != nil && !afterFailure(inner.call.Block()) {
			return p.locker(inner, depth+1)
		}
		return Term{}
	}
	if !c.hasRecv || len(c.args) == 0 {
		return Term{}
	}
	for _, v := range c.args[1:] {
		if !isContext(v.Type()) && types.TypeString(v.Type(), nil) != "time.Duration" {
			return Term{}
		}
	}
	return p.term(c.args[0])
}

// afterFailure reports whether a block runs only where an error is set: what is
// given up there is kept where all went well.
func afterFailure(b *ssa.BasicBlock) bool {
	for d := b.Idom(); d != nil; d = d.Idom() {
		cond, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		test, ok := cond.Cond.(*ssa.BinOp)
		if !ok || !isError(test.X.Type()) || test.Op != token.NEQ && test.Op != token.EQL {
			continue
		}
		set := 0
		if test.Op == token.EQL {
			set = 1
		}
		if s := d.Succs[set]; (s == b || s.Dominates(b)) && len(s.Preds) == 1 {
			return true
		}
	}
	return false
}
