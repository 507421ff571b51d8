package leaseflow

import "golang.org/x/tools/go/ssa"

// untold reports whether a function works under the lease that it takes, and
// comes back in the same way when another holds it: no result tells its caller
// which of both it was. What the caller does then belongs to neither.
func (p *program) untold(fn *ssa.Function, acq *event, evs []*event) bool {
	r := p.regionOf(acq, evs)
	if fn.Signature.Results().Len() > 0 || len(r.refused) == 0 {
		return false
	}
	without := map[*ssa.BasicBlock]bool{}
	returns := false
	for queue := r.refused; len(queue) > 0; queue = queue[1:] {
		b := queue[0]
		if without[b] || b == acq.call.Block() { // a retry takes it after all
			continue
		}
		without[b] = true
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			returns = true
		}
		queue = append(queue, b.Succs...)
	}
	return returns && worksWithin(r.held, without, acq)
}

// worksWithin reports whether a call is made under the lease alone: what only
// takes it, and notes that it could not, leaves the work to its caller.
func worksWithin(held span, without map[*ssa.BasicBlock]bool, acq *event) bool {
	for b := range held {
		if without[b] || b == acq.call.Block() {
			continue
		}
		for _, in := range b.Instrs {
			if call, ok := in.(ssa.CallInstruction); ok {
				if _, builtin := call.Common().Value.(*ssa.Builtin); !builtin {
					return true
				}
			}
		}
	}
	return false
}
