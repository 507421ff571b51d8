package leaseflow

import "golang.org/x/tools/go/ssa"

// retriedAcquires finds acquires that are tried again after an error while a
// refusal is final: the try whose reply was lost may have taken the lock, and
// the next one then meets its own record.
func (p *program) retriedAcquires(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, a := range p.leases(evs) {
		if !a.direct || !a.Candidate || a.Store == "sql" || a.Store == "file" || a.Script || p.looksAgain(a, evs) {
			continue
		}
		if p.retriedOnError(a) && p.finalRefusal(a) {
			out = append(out, a.fault(RetryNotIdempotent))
		}
	}
	return out
}

// looksAgain reports whether the record is read in the loop as well, which
// tells one's own from another's.
func (p *program) looksAgain(a *event, evs []*event) bool {
	for _, r := range evs {
		if r.Kind == Read && sameKey(a, r) && follows(a.call, r.call) {
			return true
		}
	}
	return false
}

// answers visits the branches on the answer of an acquire, with the side of
// those who did not get it.
func (p *program) answers(a *event, visit func(cond ssa.Value, b *ssa.BasicBlock, refused *ssa.BasicBlock)) {
	for _, b := range a.fn.Blocks {
		if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			if side := p.failure(cond.Cond, a); side >= 0 {
				visit(cond.Cond, b, b.Succs[side])
			}
		}
	}
}

func (p *program) retriedOnError(a *event) bool {
	again := false
	p.answers(a, func(cond ssa.Value, _, failed *ssa.BasicBlock) {
		if failedOnly(cond) && reachable([]*ssa.BasicBlock{failed}, a.call.Block(), nil) {
			again = true
		}
	})
	return again
}

func (p *program) finalRefusal(a *event) bool {
	final, again := false, false
	p.answers(a, func(cond ssa.Value, _, refused *ssa.BasicBlock) {
		if failedOnly(cond) || !isBoolTest(cond, a) {
			return
		}
		if reachable([]*ssa.BasicBlock{refused}, a.call.Block(), nil) {
			again = true
		} else {
			final = true
		}
	})
	if !final && !again { // handed to the caller as it is
		for _, b := range a.fn.Blocks {
			ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if !ok {
				continue
			}
			for _, res := range ret.Results {
				if isBool(res.Type()) && p.gate(res, a, 0) {
					final = true
				}
			}
		}
	}
	return final && !again
}
