package leaseflow

import (
	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// shortKeepAlives finds leases whose renewal runs on a context that ends before
// the work does: one with a time limit, that of a request, or one that the
// function which takes the lease cancels when it returns.
func (p *program) shortKeepAlives(fn *ssa.Function, _ []*event) []Fault {
	var out []Fault
	calls(fn, func(call ssa.CallInstruction) {
		c := p.callee(call.Common())
		for _, row := range p.rowsOf(c.obj) {
			pl, ok := row.First("ctx")
			if !ok || row.Attr["verb"] != "keepalive" || pl.Root != models.Arg || !p.takesIn(row.Store) {
				continue
			}
			ctx := site{p, call, c, row}.value(pl)
			t := p.lifetime(ctx, nil, 0)
			ends := t.Op == opConst && t.Text == ctxEnds
			cancelled := p.cancelledOnReturn(ctx, fn)
			if !ends && !cancelled || !p.outlives(call, fn) {
				continue
			}
			f := Fault{Kind: KeepAliveContext, Pos: call.Pos(), API: c.obj.Name(), Store: row.Store, Certain: ends}
			if !ends {
				f.Variant = "cancel"
			}
			out = append(out, f)
		}
	})
	return out
}

// cancelledOnReturn reports whether fn defers the cancel func that was made
// with a context.
func (p *program) cancelledOnReturn(ctx ssa.Value, fn *ssa.Function) bool {
	made, ok := ctx.(*ssa.Extract)
	if !ok {
		return false
	}
	cancelled := false
	calls(fn, func(call ssa.CallInstruction) {
		if d, ok := call.(*ssa.Defer); ok {
			if cancel, ok := d.Call.Value.(*ssa.Extract); ok && cancel.Tuple == made.Tuple {
				cancelled = true
			}
		}
	})
	return cancelled
}

// outlives reports whether the lease that a call keeps alive is still held when
// fn returns: fn hands out or keeps what it got, or returns under a lock.
func (p *program) outlives(call ssa.CallInstruction, fn *ssa.Function) bool {
	evs := p.all[fn]
	for _, a := range p.leases(evs) {
		if p.heldAtReturn(a, evs) {
			return true
		}
	}
	v, ok := call.(*ssa.Call)
	if !ok {
		return false
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Return:
				for _, res := range in.Results {
					if !isError(res.Type()) && !isBool(res.Type()) && p.comesFrom(res, v) {
						return true
					}
				}
			case *ssa.Store:
				if _, field := in.Addr.(*ssa.FieldAddr); field && !isContext(in.Val.Type()) && !isError(in.Val.Type()) && p.comesFrom(in.Val, v) {
					return true
				}
			}
		}
	}
	return false
}
