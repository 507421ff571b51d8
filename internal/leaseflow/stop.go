package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// lateStops finds releases that come before the renewal is stopped. A renewal
// that names the key alone may still run in between, and then prolongs the
// lock of the next holder.
func (p *program) lateStops(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, e := range evs {
		if e.Kind != Release || e.spawned {
			continue
		}
		calls(fn, func(stop ssa.CallInstruction) {
			_, deferred := stop.(*ssa.Defer)
			if deferred != e.deferred || !p.stopsRenewal(stop) {
				return
			}
			late := before(e.call, stop)
			if deferred { // what is deferred first runs last
				late = before(stop, e.call)
			}
			if !late {
				return
			}
			f := e.fault(ReleaseBeforeStop)
			f.Write = &Place{Pos: stop.Pos()}
			out = append(out, f)
		})
	}
	return out
}

// stopsRenewal reports whether a call ends a renewal by key alone: it calls the
// cancel func, or closes the channel, that was made where the renewal began.
func (p *program) stopsRenewal(call ssa.CallInstruction) bool {
	common := call.Common()
	v := common.Value
	if b, ok := v.(*ssa.Builtin); ok {
		if b.Name() != "close" {
			return false
		}
		v = common.Args[0]
	} else if common.IsInvoke() || !isCancel(v.Type()) {
		return false
	}
	field, local := "", v
	if load, ok := v.(*ssa.UnOp); ok {
		switch addr := load.X.(type) {
		case *ssa.FieldAddr:
			field = fieldName(addr.X.Type(), addr.Field)
		case *ssa.Alloc:
			local = onlyStore(p.storesTo(addr))
		}
	}
	for _, fn := range p.fns {
		if !p.beginsRenewal(fn) {
			continue
		}
		for _, stop := range stops(fn) {
			if stop == local || field != "" && slices.Contains(p.fields[field], stop) {
				return true
			}
		}
	}
	return false
}

// beginsRenewal reports whether fn starts a goroutine that prolongs a lock by
// its key alone.
func (p *program) beginsRenewal(fn *ssa.Function) bool {
	begins := false
	for _, e := range p.all[fn] {
		if e.spawned && e.Kind == Renew && e.Unsafe {
			begins = true
		}
	}
	calls(fn, func(call ssa.CallInstruction) {
		if _, spawned := call.(*ssa.Go); !spawned {
			return
		}
		if c := p.callee(call.Common()); c.fn != nil {
			begins = begins || slices.ContainsFunc(p.all[c.fn], func(e *event) bool { return e.Kind == Renew && e.Unsafe })
		}
	})
	return begins
}

// stops lists the cancel funcs and channels that fn makes.
func stops(fn *ssa.Function) []ssa.Value {
	var out []ssa.Value
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.MakeChan:
				out = append(out, in)
			case *ssa.Extract:
				if isCancel(in.Type()) {
					out = append(out, in)
				}
			}
		}
	}
	return out
}
