package leaseflow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// joined reports whether the function waits for its goroutines after e.
func (p *program) joined(e *event) bool {
	return p.waits(e.fn) || slices.ContainsFunc(e.fn.AnonFuncs, func(lit *ssa.Function) bool { return returned(lit) && p.waits(lit) })
}

// waits reports whether a function waits for something.
func (p *program) waits(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					return true
				}
			case *ssa.Select:
				return true
			case ssa.CallInstruction:
				if c := p.callee(in.Common()); c.obj != nil && c.obj.Name() == "Wait" {
					return true
				}
			}
		}
	}
	return false
}

// returned reports whether a func literal is what its function returns: whoever
// gets it ends by it what the function has begun.
func returned(lit *ssa.Function) bool {
	for _, b := range lit.Parent().Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
			c, ok := v.(*ssa.MakeClosure)
			return ok && c.Fn == lit
		}) {
			return true
		}
	}
	return false
}
