package leaseflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// fieldSet tells whether the option struct v has a field set when it is used.
// A struct that comes from elsewhere may have it set.
func (p *program) fieldSet(v ssa.Value, path []string) (tri, ssa.Value) {
	alloc := p.structAlloc(v, 0)
	if alloc == nil {
		return maybe, nil
	}
	st := structUnder(alloc.Type())
	if st == nil {
		return maybe, nil
	}
	path = fullPath(st, path)
	answer := no
	for _, r := range *alloc.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			if st.Field(r.Field).Name() != path[0] {
				continue
			}
			if set, val := p.storedAt(r, path); set != no {
				return set, val
			}
		case *ssa.Store:
			if r.Addr == alloc { // copied from elsewhere
				answer = maybe
			}
		case ssa.CallInstruction:
			// a helper of this package may fill it; the store call itself does not
			if c := p.callee(r.Common()); c.fn != nil && p.fills(c, alloc, path[0]) {
				answer = maybe
			}
		}
	}
	return answer, nil
}

// storedAt tells whether something is stored into the field at addr, or into
// the field of it that the rest of the path names.
func (p *program) storedAt(addr *ssa.FieldAddr, path []string) (tri, ssa.Value) {
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != addr {
				continue
			}
			if c, ok := r.Val.(*ssa.Const); ok && (c.Value == nil || isZero(c)) {
				continue
			}
			if len(path) > 1 {
				return p.fieldSet(r.Val, path[1:])
			}
			return yes, r.Val
		case *ssa.FieldAddr:
			if s := structUnder(addr.Type().Underlying().(*types.Pointer).Elem()); len(path) > 1 && s != nil && s.Field(r.Field).Name() == path[1] {
				if set, val := p.storedAt(r, path[1:]); set != no {
					return set, val
				}
			}
		}
	}
	return no, nil
}

// fullPath names the embedded structs on the way to a promoted field.
func fullPath(st *types.Struct, path []string) []string {
	_, index, _ := types.LookupFieldOrMethod(st, true, nil, path[0])
	var full []string
	for _, i := range index {
		if st == nil || i >= st.NumFields() {
			return path
		}
		full = append(full, st.Field(i).Name())
		st = structUnder(st.Field(i).Type())
	}
	if len(full) == 0 {
		return path
	}
	return append(full, path[1:]...)
}

// fills reports whether a function of this package sets a field of the struct
// that it gets a pointer to.
func (p *program) fills(c callee, alloc ssa.Value, field string) bool {
	for i, a := range c.args {
		if a != alloc || i >= len(c.fn.Params) {
			continue
		}
		refs := c.fn.Params[i].Referrers()
		if refs == nil {
			return false
		}
		for _, r := range *refs {
			if fa, ok := r.(*ssa.FieldAddr); ok {
				if st := structUnder(fa.X.Type()); st != nil && st.Field(fa.Field).Name() == field {
					return true
				}
			}
		}
	}
	return false
}

func isZero(c *ssa.Const) bool {
	switch c.Value.Kind() {
	case constant.Int:
		return constant.Sign(c.Value) == 0
	case constant.String:
		return constant.StringVal(c.Value) == ""
	case constant.Bool:
		return !constant.BoolVal(c.Value)
	}
	return false
}

// structAlloc finds the literal behind a struct value or pointer.
func (p *program) structAlloc(v ssa.Value, depth int) *ssa.Alloc {
	if depth > 6 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		if _, ok := v.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Pointer); ok {
			if val := onlyStore(p.storesTo(v)); val != nil {
				return p.structAlloc(val, depth+1)
			}
			return nil
		}
		// a call that is given its address does not make another value of it
		whole := slices.DeleteFunc(p.storesTo(v), func(val ssa.Value) bool { return val == nil })
		if val := onlyStore(whole); val != nil {
			if a := p.structAlloc(val, depth+1); a != nil {
				return a
			}
		}
		return v
	case *ssa.UnOp:
		if v.Op == token.MUL {
			switch addr := v.X.(type) {
			case *ssa.Alloc:
				return p.structAlloc(addr, depth+1)
			case *ssa.FreeVar:
				if b, ok := p.binding(addr).(*ssa.Alloc); ok {
					return p.structAlloc(b, depth+1)
				}
			}
		}
	case *ssa.MakeInterface:
		return p.structAlloc(v.X, depth+1)
	case *ssa.ChangeType:
		return p.structAlloc(v.X, depth+1)
	case *ssa.Call:
		if c := p.callee(&v.Call); c.fn != nil {
			if ret := onlyReturn(c.fn); ret != nil && len(ret.Results) > 0 {
				return p.structAlloc(ret.Results[0], depth+1)
			}
		}
	}
	return nil
}

// fieldValue returns what is stored into a field of a struct literal.
func (p *program) fieldValue(v ssa.Value, path []string) ssa.Value {
	for _, name := range path {
		alloc := p.structAlloc(v, 0)
		if alloc == nil {
			return nil
		}
		st := structUnder(alloc.Type())
		if st == nil {
			return nil
		}
		v = nil
		for i := range st.NumFields() {
			if st.Field(i).Name() == name {
				v = onlyStore(fieldStores(alloc, i))
			}
		}
		if v == nil {
			return nil
		}
	}
	return v
}
