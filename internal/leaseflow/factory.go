package leaseflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A Made tells that a result of a function, declared as an interface, is always
// of one type of the function's own package.
type Made struct {
	Result int
	Type   string // its name
	Ptr    bool   // a pointer to it
}

// narrowed resolves a call through an interface whose value came out of a function
// that makes one type only: of all implementations that one is meant. Interfaces
// that the models know are left to them.
func (p *program) narrowed(c callee) callee {
	t := p.concrete(c.args[0], 0)
	if t == nil || p.said[c.obj] != nil || p.modelled(c.obj) {
		return c
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, c.obj.Pkg(), c.obj.Name())
	m, ok := obj.(*types.Func)
	if !ok || isInterfaceMethod(m) {
		return c
	}
	c.obj, c.invoke = m.Origin(), false
	if m.Pkg() == p.pass.Pkg && len(p.fns) > 0 {
		if fn := p.fns[0].Prog.FuncValue(c.obj); fn != nil && len(fn.Blocks) > 0 {
			c.fn = fn
		}
	}
	return c
}

// modelled reports whether the catalogue itself, by name, knows a method.
func (p *program) modelled(obj *types.Func) bool {
	return obj == nil || len(p.cat.Match(obj)) > 0 && p.inferred(obj) == nil
}

// concrete returns the one type that an interface value has; nil when that
// cannot be told.
func (p *program) concrete(v ssa.Value, depth int) types.Type {
	if t, ok := p.concretes[v]; ok {
		return t
	}
	p.concretes[v] = nil // ends recursion
	if depth > 8 {
		return nil
	}
	var t types.Type
	switch v := v.(type) {
	case *ssa.MakeInterface:
		t = v.X.Type()
	case *ssa.ChangeInterface:
		t = p.concrete(v.X, depth+1)
	case *ssa.Phi:
		t = p.oneType(v.Edges, depth)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			t = p.oneType(p.storesTo(a), depth)
		}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			t = p.returnedType(call, v.Index, depth)
		}
	case *ssa.Call:
		t = p.returnedType(v, 0, depth)
	}
	p.concretes[v] = t
	return t
}

// oneType returns the type that all of several values have, nil ones aside.
func (p *program) oneType(vals []ssa.Value, depth int) types.Type {
	var one types.Type
	for _, v := range vals {
		if isNil(v) {
			continue
		}
		t := p.concrete(v, depth+1)
		if t == nil || one != nil && !types.Identical(one, t) {
			return nil
		}
		one = t
	}
	return one
}

// returnedType returns the type that result i of a call always has.
func (p *program) returnedType(call *ssa.Call, i, depth int) types.Type {
	res := call.Call.Signature().Results()
	if i >= res.Len() || !madeInterface(res.At(i).Type()) {
		return nil
	}
	c := p.callee(&call.Call)
	if c.fn != nil {
		return p.resultType(c.fn, i, depth)
	}
	if c.obj == nil || c.obj.Pkg() == nil || c.invoke {
		return nil
	}
	s := p.summaryOf(c)
	if s == nil {
		return nil
	}
	for _, m := range s.Makes {
		tn, ok := c.obj.Pkg().Scope().Lookup(m.Type).(*types.TypeName)
		if m.Result != i || !ok {
			continue
		}
		if m.Ptr {
			return types.NewPointer(tn.Type())
		}
		return tn.Type()
	}
	return nil
}

// resultType returns the type that result i of a function of this package has
// at every return.
func (p *program) resultType(fn *ssa.Function, i, depth int) types.Type {
	var vals []ssa.Value
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && i < len(ret.Results) {
			vals = append(vals, ret.Results[i])
		}
	}
	return p.oneType(vals, depth+1)
}

// makes lists the results of fn that are always of one type of this package.
func (p *program) makes(fn *ssa.Function) []Made {
	if fn.Parent() != nil || p.testFile(fn.Pos()) {
		return nil
	}
	var out []Made
	res := fn.Signature.Results()
	for i := range res.Len() {
		if !madeInterface(res.At(i).Type()) {
			continue
		}
		t := p.resultType(fn, i, 0)
		if t == nil {
			continue
		}
		if n := namedOf(t); n != nil && n.Obj().Pkg() == p.pass.Pkg && n.TypeArgs() == nil && n.Obj().Parent() == p.pass.Pkg.Scope() {
			out = append(out, Made{i, n.Obj().Name(), isPointer(t)})
		}
	}
	return out
}

// madeInterface reports an interface that somebody has declared for values to be
// made of: no error, no context, nothing without methods.
func madeInterface(t types.Type) bool {
	it, ok := t.Underlying().(*types.Interface)
	return ok && it.NumMethods() > 0 && !isError(t) && !isContext(t)
}
