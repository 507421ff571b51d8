package leaseflow

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// given names a value that is a parameter, or a field of a struct that came by
// value and that nobody changes before it is read.
func (p *program) given(v ssa.Value) (Term, bool) {
	if t := p.term(v); t.Op == opParam {
		return t, true
	}
	var from ssa.Value
	var field int
	switch v := v.(type) {
	case *ssa.Field:
		from, field = v.X, v.Field
	case *ssa.UnOp:
		fa, ok := v.X.(*ssa.FieldAddr)
		if !ok || v.Op != token.MUL {
			return Term{}, false
		}
		alloc, ok := fa.X.(*ssa.Alloc)
		if !ok || !plain(alloc) || len(fieldStores(alloc, fa.Field)) > 0 {
			return Term{}, false
		}
		from, field = onlyStore(p.storesTo(alloc)), fa.Field
	}
	param, ok := from.(*ssa.Parameter)
	if !ok {
		return Term{}, false
	}
	return p.field(param, param.Type(), field), true
}

// argument finds what a call passes for that which a premise is about; nil if
// it cannot be told.
func (p *program) argument(q Premise, call ssa.CallInstruction, args []ssa.Value) ssa.Value {
	n := q.param().N
	if n >= len(args) {
		return nil
	}
	v := args[n]
	if q.Of.Op != opField {
		return v
	}
	field, st := -1, structUnder(v.Type())
	if st == nil {
		return nil
	}
	for i := range st.NumFields() {
		if fieldName(v.Type(), i) == q.Of.Text {
			field = i
		}
	}
	if field < 0 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Const: // of a struct: all of it is zero
		return zero(st.Field(field).Type())
	case *ssa.UnOp:
		alloc, ok := v.X.(*ssa.Alloc)
		if !ok || !plain(alloc) || len(p.storesTo(alloc)) > 0 {
			return nil
		}
		vals := fieldStores(alloc, field)
		switch {
		case len(vals) == 0:
			return zero(st.Field(field).Type())
		case len(vals) == 1 && storedBefore(alloc, field, v):
			return vals[0]
		}
	}
	return nil
}

// plain reports whether a local struct is only set and read where everybody
// sees it, field by field or whole.
func plain(alloc *ssa.Alloc) bool {
	var open func(addr ssa.Value) bool
	open = func(addr ssa.Value) bool {
		for _, r := range *addr.Referrers() {
			switch r := r.(type) {
			case *ssa.FieldAddr:
				if !open(r) {
					return false
				}
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.Store:
				if r.Addr != addr {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	return open(alloc)
}

// zero returns the constant that a field holds which nobody sets; nil when it
// has none.
func zero(t types.Type) ssa.Value {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return ssa.NewConst(constant.MakeBool(false), t)
		case u.Info()&types.IsInteger != 0:
			return ssa.NewConst(constant.MakeInt64(0), t)
		case u.Info()&types.IsString != 0:
			return ssa.NewConst(constant.MakeString(""), t)
		}
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice, *types.Chan, *types.Signature:
		return ssa.NewConst(nil, t)
	}
	return nil
}

// storedBefore reports whether field i of a struct is set on every way to a
// load of the struct.
func storedBefore(alloc *ssa.Alloc, i int, load ssa.Instruction) bool {
	for _, r := range *alloc.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok || fa.Field != i {
			continue
		}
		for _, r := range *fa.Referrers() {
			if st, ok := r.(*ssa.Store); ok && before(st, load) {
				return true
			}
		}
	}
	return false
}
