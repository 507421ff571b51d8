package leaseflow

import (
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
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(*ssa.Call)
				if !ok {
					continue
				}
				c := p.callee(&call.Call)
				row := p.rowWith(c, models.Condition, models.Token)
				if row == nil {
					continue
				}
				if len(row.Subject["token"]) > 0 {
					ordered[row.Store] = true
				}
				pl, named := row.First("lockname")
				if !named {
					continue
				}
				s := site{p, call, c, row}
				if v := s.value(pl); v != nil && p.origin(p.term(v)) == RandomOrigin {
					out = append(out, Exposure{Pos: call.Pos(), call: call, Write: s.effect(Write), MadeUp: true})
				}
			}
		}
	}
	kept := out[:0]
	for _, x := range out {
		if !ordered[x.Write.Store] {
			kept = append(kept, x)
		}
	}
	return kept
}
