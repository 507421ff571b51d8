package leaseflow

import (
	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// droppedContexts finds callbacks that get a context which ends with the lease
// and work on another one, and the other half of it: a callback for the end of
// the leadership that leaves everything as it was.
func (p *program) droppedContexts(fn *ssa.Function, _ []*event) []Fault {
	var out []Fault
	calls(fn, func(call ssa.CallInstruction) {
		c := p.callee(call.Common())
		for _, row := range p.rowsOf(c.obj) {
			pl, ok := row.First("lockctx")
			if !ok || pl.Root != models.Arg {
				continue
			}
			s := site{p, call, c, row}
			body := p.callback(s, pl)
			if body == nil {
				continue
			}
			var end *ssa.Function
			if stop, ok := row.First("stop"); ok {
				end = p.callback(s, stop)
			}
			ends := end != nil && !p.inert(end, nil)
			f := Fault{API: c.obj.Name(), Store: row.Store, Acquire: &Place{Pos: call.Pos(), API: c.obj.Name(), Store: row.Store}}
			switch {
			case p.dropsContext(body):
				f.Kind, f.Pos, f.Certain = LeaderContextDropped, body.Pos(), !ends
				out = append(out, f)
			case end != nil && !ends && p.setsLeaderFlag(body):
				f.Kind, f.Variant, f.Pos, f.Certain = LostSignalIgnored, "flag", end.Pos(), true
				out = append(out, f)
			}
		}
	})
	return out
}

// callback finds the body of a func that a call is given, perhaps in a field of
// a struct.
func (p *program) callback(s site, pl models.Place) *ssa.Function {
	v := s.value(pl)
	if v != nil && len(pl.Path) > 0 {
		v = p.fieldValue(v, pl.Path)
	}
	if v == nil {
		return nil
	}
	return p.calleeOf(v, nil).fn
}

// dropsContext reports whether a body never looks at the context that it is
// given, and yet does something.
func (p *program) dropsContext(body *ssa.Function) bool {
	params := body.Params
	if body.Signature.Recv() != nil {
		params = params[1:]
	}
	if len(params) == 0 || !isContext(params[0].Type()) || used(params[0]) {
		return false
	}
	works := false
	calls(body, func(call ssa.CallInstruction) {
		works = works || !p.tellsOnly(call) && !p.atomicStore(call)
	})
	return works
}

// atomicStore reports whether a call only sets a flag.
func (p *program) atomicStore(call ssa.CallInstruction) bool {
	c := p.callee(call.Common())
	return c.obj != nil && c.obj.Pkg() != nil && c.obj.Pkg().Path() == "sync/atomic"
}
