package leaseflow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// loadsRecord reports whether a read of what has no name here, such as that of a
// mapper which is given the text, fills a record for the caller of fn.
func (p *program) loadsRecord(r *event, fn *ssa.Function) bool {
	if r.Store == "" {
		return false
	}
	call, ok := r.call.(*ssa.Call)
	if !ok {
		return false
	}
	for i, a := range p.callee(call.Common()).args {
		if dest, ok := a.(*ssa.Parameter); ok && i > 0 && (isEmptyInterface(a.Type()) || isPointer(a.Type()) && structUnder(a.Type()) != nil) && slices.Contains(fn.Params, dest) {
			return true
		}
	}
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, res := range ret.Results {
			if recordUnder(res.Type()) != nil && len(p.readsBehind(res, []*event{r})) > 0 {
				return true
			}
		}
	}
	return false
}

// loads reports a read behind a call that names no table: all that is known of it
// is that it fills a record.
func (e *event) loads() bool { return e.Kind == Read && !e.direct && !e.Key.known() }

// savesLoaded reports whether a write stores a whole record as a read had filled
// it: the fields that this run did not set go back as they were then. It is asked
// where tables have no names, so the type tells that it is the same record.
func savesLoaded(r, w *event, a ssa.Value) bool {
	if r.Store != w.Store || otherTable(&r.Effect, &w.Effect) {
		return false
	}
	if mi, ok := a.(*ssa.MakeInterface); ok {
		a = mi.X
	}
	saved := recordUnder(a.Type())
	if saved == nil || structUnder(a.Type()) == nil { // none, or many
		return false
	}
	if call, ok := r.call.(*ssa.Call); ok {
		res := call.Call.Signature().Results()
		for i := range res.Len() {
			if t := recordUnder(res.At(i).Type()); t != nil && types.Identical(t, saved) {
				return true
			}
		}
		return slices.ContainsFunc(call.Call.Args, func(d ssa.Value) bool {
			if mi, ok := d.(*ssa.MakeInterface); ok {
				d = mi.X
			}
			t := recordUnder(d.Type())
			return t != nil && isPointer(d.Type()) && types.Identical(t, saved)
		})
	}
	return false
}

// recordUnder returns the named struct that a type holds, alone or many of; nil
// for any other.
func recordUnder(t types.Type) types.Type {
	if n := namedOf(element(t)); n != nil && structUnder(n) != nil && !isError(n) {
		return n
	}
	return nil
}

func isEmptyInterface(t types.Type) bool {
	it, ok := t.Underlying().(*types.Interface)
	return ok && it.NumMethods() == 0
}
