package leaseflow

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// unheeded reports whether a write is reached also when the acquire was refused:
// the answer is looked at, and at most logged.
func (p *program) unheeded(a, w *event) bool {
	if a.call == nil || a.Held || a.fn != w.fn {
		return false
	}
	from := a.call.Block()
	seen := map[*ssa.BasicBlock]bool{from: true}
	var reach func(b, before *ssa.BasicBlock, refused bool) bool
	reach = func(b, before *ssa.BasicBlock, refused bool) bool {
		if b == w.call.Block() && b != from {
			return refused
		}
		if refused && p.throws(b, a) {
			return false
		}
		only := -1
		if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			if only = p.failure(cond.Cond, a); only >= 0 {
				refused = true
			} else {
				only = sideFrom(cond.Cond, b, before)
			}
		}
		for i, s := range b.Succs {
			if (only < 0 || i == only) && !seen[s] {
				seen[s] = true
				if reach(s, b, refused) {
					return true
				}
			}
		}
		return false
	}
	return reach(from, nil, false)
}

// sideFrom tells which way a branch goes when it is come to from a block that
// settles it, as by a flag which says whether a loop is to go on; -1 for unknown.
func sideFrom(cond ssa.Value, b, before *ssa.BasicBlock) int {
	side := 0
	for {
		not, ok := cond.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			break
		}
		cond, side = not.X, 1-side
	}
	phi, ok := cond.(*ssa.Phi)
	i := slices.Index(b.Preds, before)
	if !ok || phi.Block() != b || i < 0 {
		return -1
	}
	if phi.Edges[i] == phi { // as it was when the loop was entered
		return slices.IndexFunc(b.Succs, func(s *ssa.BasicBlock) bool { return len(s.Preds) == 1 && s.Dominates(before) })
	}
	k, ok := phi.Edges[i].(*ssa.Const)
	if !ok || k.Value == nil {
		return -1
	}
	if constant.BoolVal(k.Value) {
		return side
	}
	return 1 - side
}

// throws reports whether a block ends the process, or hands the refusal to a function
// that makes a panic of it.
func (p *program) throws(b *ssa.BasicBlock, a *event) bool {
	return slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool {
		call, ok := in.(*ssa.Call)
		if !ok {
			return false
		}
		c := p.callee(&call.Call)
		if c.obj == nil {
			return false
		}
		words := split(c.obj.Name())
		return hasAny(fatalWords, words) || hasAny(throwWords, words) && slices.ContainsFunc(c.args, func(v ssa.Value) bool { return isError(v.Type()) && p.gate(v, a, 0) })
	})
}

// throwWords name functions that do not come back when they are given an error.
var throwWords = map[string]bool{"throw": true, "throws": true, "raise": true, "die": true}
