package leaseflow

import (
	"go/constant"
	"go/token"
	"go/types"

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
	answer := no
	for _, r := range *alloc.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			if st.Field(r.Field).Name() != path[0] {
				continue
			}
			for _, r2 := range *r.Referrers() {
				switch r2 := r2.(type) {
				case *ssa.Store:
					if r2.Addr != r {
						continue
					}
					if c, ok := r2.Val.(*ssa.Const); ok && (c.Value == nil || isZero(c)) {
						continue
					}
					if len(path) > 1 {
						return p.fieldSet(r2.Val, path[1:])
					}
					return yes, r2.Val
				case *ssa.FieldAddr:
					if len(path) > 1 {
						if s := structUnder(r.Type()); s != nil && s.Field(r2.Field).Name() == path[1] {
							return yes, nil
						}
					}
				}
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
		if val := onlyStore(p.storesTo(v)); val != nil {
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
