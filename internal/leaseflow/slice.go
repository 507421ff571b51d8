package leaseflow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxSlice bounds how many values a backward slice may visit.
const maxSlice = 400

// slice visits the values that v was computed from inside its function,
// through locals, fields of locals and the destinations that calls fill.
// visit returns false where the walk shall not go on.
func (p *program) slice(v ssa.Value, visit func(ssa.Value) bool) {
	seen := map[ssa.Value]bool{}
	var walk func(ssa.Value)
	walk = func(v ssa.Value) {
		if v == nil || seen[v] || len(seen) > maxSlice {
			return
		}
		seen[v] = true
		if !visit(v) {
			return
		}
		switch v := v.(type) {
		case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Builtin, *ssa.Parameter:
		case *ssa.FreeVar:
			walk(p.binding(v))
		case *ssa.Alloc:
			p.walkVariable(v, walk)
		case *ssa.Call:
			if v.Call.IsInvoke() {
				walk(v.Call.Value)
			} else if _, fn := v.Call.Value.(*ssa.Function); !fn {
				walk(v.Call.Value)
			}
			for _, a := range v.Call.Args {
				if !isContext(a.Type()) {
					walk(a)
				}
			}
		default:
			in, ok := v.(ssa.Instruction)
			if !ok {
				return
			}
			for _, op := range in.Operands(nil) {
				if *op != nil {
					walk(*op)
				}
			}
		}
	}
	walk(v)
}

// walkVariable visits what is stored into a local variable, its fields and
// elements, and the calls that fill it through a pointer.
func (p *program) walkVariable(addr ssa.Value, walk func(ssa.Value)) {
	refs := addr.Referrers()
	if refs == nil {
		return
	}
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == addr {
				walk(r.Val)
			}
		case *ssa.FieldAddr:
			p.walkVariable(r, walk)
		case *ssa.IndexAddr:
			if r.X == addr {
				p.walkVariable(r, walk)
			}
		case *ssa.MapUpdate:
			walk(r.Value)
		case *ssa.MakeInterface:
			for _, u := range storesUsers(r) {
				if call, ok := u.(*ssa.Call); ok {
					walk(call)
				}
			}
		case *ssa.Call:
			for _, a := range r.Call.Args {
				if a == addr {
					walk(r)
				}
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for i, b := range r.Bindings {
				if b == addr && i < len(fn.FreeVars) {
					p.walkVariable(fn.FreeVars[i], walk)
				}
			}
		}
	}
}

// reads returns the read events of evs whose answer v was computed from.
func (p *program) readsBehind(v ssa.Value, evs []*event) []*event {
	var out []*event
	p.slice(v, func(x ssa.Value) bool {
		call, ok := x.(*ssa.Call)
		if !ok {
			return true
		}
		for _, e := range evs {
			if e.call == ssa.CallInstruction(call) && e.Kind == Read && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
		return true
	})
	return out
}

// comesFrom reports whether v was computed from a value, or is it.
func (p *program) comesFrom(v, from ssa.Value) bool {
	return p.comesFromOne(v, map[ssa.Value]bool{from: true})
}

// comesFromOne is the same for several values.
func (p *program) comesFromOne(v ssa.Value, values map[ssa.Value]bool) bool {
	found := false
	p.slice(v, func(x ssa.Value) bool {
		found = found || values[x]
		return !found
	})
	return found
}

// markRMW notes which writes store what was read before: from the same call
// graph node, in a function that reads and writes.
func (p *program) markRMW(fn *ssa.Function, evs []*event) {
	var reads []*event
	for _, e := range evs {
		if e.Kind == Read {
			reads = append(reads, e)
		}
	}
	for _, e := range evs {
		if e.Kind != Write || e.RMW || e.Fixed || e.deferred || e.Action != Overwrite && e.Action != Send && e.Action != Insert {
			continue // what was read at most names what these change, or goes beside it
		}
		c := p.callee(e.call.Common())
		for i, a := range c.args {
			if i == 0 && c.hasRecv || isContext(a.Type()) || isKeyArg(p, e, a) || isFunc(a.Type()) {
				continue
			}
			if slices.ContainsFunc(p.readsBehind(a, reads), func(r *event) bool {
				if e.Action == Insert || r.Action == Take { // what was taken out is put back
					return r.Action == Take && sameKey(r, e)
				}
				return sameRecord(r, e) || p.sameHandle(r, e) || savesLoaded(r, e, a)
			}) {
				e.RMW, e.rewrites, e.Leased = true, true, false
				break
			}
		}
	}
}

// sameRecord reports whether a write may change what was read: it goes to the
// same kind of store, and not to another table or key by its constant name.
func sameRecord(r, w *event) bool {
	if r.Store != w.Store || r.loads() {
		return false
	}
	from, known := r.Key.constant()
	to, same := w.Key.constant()
	return !known || !same || from == to
}

// sameHandle reports whether what a call of unknown store read, and what is
// written, went through one value: the two ends of a repository.
func (p *program) sameHandle(r, w *event) bool {
	from, to := p.callee(r.call.Common()), p.callee(w.call.Common())
	return (r.Store == "" || r.loads()) && from.hasRecv && to.hasRecv && len(from.args) > 0 && len(to.args) > 0 &&
		p.term(from.args[0]).Equal(p.term(to.args[0]))
}

// isKeyArg reports whether an argument only names what is written.
func isKeyArg(p *program, e *event, a ssa.Value) bool {
	return e.Key.known() && p.term(a).Equal(e.Key)
}

// readResults lists the results of fn that carry data read from a store.
func (p *program) readResults(fn *ssa.Function, evs []*event) []int {
	var reads []*event
	for _, e := range evs {
		if e.Kind == Read {
			reads = append(reads, e)
		}
	}
	if len(reads) == 0 {
		return nil
	}
	var out []int
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for i, res := range ret.Results {
			if isError(res.Type()) || isBool(res.Type()) || slices.Contains(out, i) {
				continue
			}
			if len(p.readsBehind(res, reads)) > 0 {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	return out
}

// flowsTo reports whether v reaches w without being computed with: stored,
// wrapped in a struct or interface, captured.
func (p *program) flowsTo(v, w ssa.Value) bool {
	found := false
	n := 0
	p.slice(w, func(x ssa.Value) bool {
		n++
		if x == v {
			found = true
		}
		if found || n > 60 {
			return false
		}
		switch x := x.(type) {
		case *ssa.Call:
			return false
		case *ssa.BinOp:
			return x.Op == token.ADD
		}
		return true
	})
	return found
}

func isPointer(t types.Type) bool { _, ok := t.Underlying().(*types.Pointer); return ok }
