package leaseflow

import (
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// madeUpNames finds names under which a store counts epochs, refusing older
// ones, and that are made up at every start: a stale worker then has another
// name than its successor, and no epoch is older than any other. Where the
// package also hands the store a number that orders the workers, such as the
// generation of a consumer group, that one fences.
func (p *program) madeUpNames() []Exposure {
	var out []Exposure
	ordered := map[string]bool{}
	for _, fn := range p.fns {
		if p.inTest(fn) {
			continue
		}
		calls(fn, func(call ssa.CallInstruction) {
			c := p.callee(call.Common())
			row := p.rowWith(c, models.Condition, models.Token)
			if row == nil {
				return
			}
			if len(row.Subject["token"]) > 0 {
				ordered[row.Store] = true
			}
			s := site{p, call, c, row}
			if p.origin(s.term("lockname")) == RandomOrigin {
				out = append(out, Exposure{Pos: call.Pos(), call: call, Write: s.effect(Write), MadeUp: true})
			}
		})
	}
	return slices.DeleteFunc(out, func(x Exposure) bool { return ordered[x.Write.Store] })
}
