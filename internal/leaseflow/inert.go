package leaseflow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// inert reports whether nothing in fn answers to what it hears: it only tells
// people, asks the values of passed over, and sets nothing that others see.
func (p *program) inert(fn *ssa.Function, passed func(ssa.CallInstruction) bool) bool {
	if len(fn.Blocks) == 0 {
		return false
	}
	for _, b := range fn.Blocks {
		if !p.inertBlock(b, passed) {
			return false
		}
	}
	return true
}

func (p *program) inertBlock(b *ssa.BasicBlock, passed func(ssa.CallInstruction) bool) bool {
	for _, in := range b.Instrs {
		switch in := in.(type) {
		case ssa.CallInstruction:
			if (passed == nil || !passed(in)) && !p.tellsOnly(in) {
				return false
			}
		case *ssa.Store:
			switch addr := in.Addr.(type) {
			case *ssa.Alloc:
			case *ssa.IndexAddr: // the arguments of a call
				if _, local := addr.X.(*ssa.Alloc); !local {
					return false
				}
			default:
				return false
			}
		case *ssa.Send, *ssa.MapUpdate, *ssa.Panic:
			return false
		case *ssa.BinOp:
			if in.Op == token.ADD && isNumeric(in.Type()) { // it counts, to act on the count
				return false
			}
		}
	}
	return true
}

// getter reports whether a call only hands out what a value holds: a method
// without arguments on a value that is not a lease.
func (p *program) getter(call ssa.CallInstruction) bool {
	c := p.callee(call.Common())
	return c.hasRecv && len(c.args) == 1 && len(p.eventsAt(call, call.Parent())) == 0 && c.signature() != nil && c.signature().Results().Len() > 0
}
