package leaseflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// maxInline bounds how deep key helpers that call key helpers are followed.
const maxInline = 4

// term names v as well as it can be named.
func (p *program) term(v ssa.Value) Term {
	if v == nil {
		return Term{}
	}
	if t, ok := p.terms[v]; ok {
		return t
	}
	p.terms[v] = Term{id: v, v: v} // ends recursion through loops
	t := p.eval(v)
	if t.v == nil {
		t.v = v
	}
	p.terms[v] = t
	return t
}

func unknown(v ssa.Value) Term { return Term{id: v, v: v} }

func (p *program) eval(v ssa.Value) Term {
	switch v := v.(type) {
	case *ssa.Const:
		return evalConst(v)
	case *ssa.Parameter:
		for i, q := range v.Parent().Params {
			if q == v {
				return Term{Op: opParam, N: i, id: v.Parent(), v: v}
			}
		}
	case *ssa.FreeVar:
		if b := p.binding(v); b != nil {
			return p.term(b)
		}
	case *ssa.Global:
		return Term{Op: opGlobal, Text: v.RelString(nil)}
	case *ssa.Function:
		return Term{Op: opGlobal, Text: v.RelString(nil)}
	case *ssa.MakeInterface:
		return p.term(v.X)
	case *ssa.ChangeInterface:
		return p.term(v.X)
	case *ssa.ChangeType:
		return p.term(v.X)
	case *ssa.Convert:
		return p.term(v.X)
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return p.term(v.X)
		}
	case *ssa.BinOp:
		if v.Op == token.ADD {
			if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				return concat(p.term(v.X), p.term(v.Y))
			}
		}
	case *ssa.Phi:
		return p.evalPhi(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return p.load(v.X, v)
		}
	case *ssa.FieldAddr: // a pointer to a field stands for the field
		return p.load(v, v)
	case *ssa.Field:
		return p.field(v.X, v.X.Type(), v.Field)
	case *ssa.Alloc:
		if _, ok := v.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Basic); ok {
			return p.load(v, v) // &name stands for name
		}
		if param := spilled(v); param != nil {
			return p.term(param)
		}
	case *ssa.IndexAddr:
		return Term{Op: opElem, Args: []Term{p.term(v.X)}}
	case *ssa.Index:
		return Term{Op: opElem, Args: []Term{p.term(v.X)}}
	case *ssa.Lookup:
		return Term{Op: opElem, Args: []Term{p.term(v.X)}}
	case *ssa.Extract:
		return p.extract(v)
	case *ssa.Slice:
		if v.Low == nil && v.High == nil {
			if _, ok := v.X.(*ssa.Alloc); !ok {
				return p.term(v.X)
			}
		}
	case *ssa.Call:
		return p.evalCall(v, 0)
	}
	return unknown(v)
}

func evalConst(c *ssa.Const) Term {
	if c.Value == nil {
		return Term{Op: opConst, Text: "nil", N: 1}
	}
	if c.Value.Kind() == constant.String {
		return constTerm(constant.StringVal(c.Value))
	}
	return constTerm(c.Value.ExactString())
}

func (p *program) evalPhi(v *ssa.Phi) Term {
	var first Term
	for i, e := range v.Edges {
		t := p.term(e)
		if i == 0 {
			first = t
		} else if !t.Equal(first) {
			return unknown(v)
		}
	}
	return first
}

func (p *program) extract(v *ssa.Extract) Term {
	switch tuple := v.Tuple.(type) {
	case *ssa.Lookup:
		if v.Index == 0 {
			return Term{Op: opElem, Args: []Term{p.term(tuple.X)}}
		}
	case *ssa.TypeAssert:
		if v.Index == 0 {
			return p.term(tuple.X)
		}
	case *ssa.Call:
		return p.evalCall(tuple, v.Index)
	}
	return unknown(v)
}

// load names what the address holds.
func (p *program) load(addr, v ssa.Value) Term {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		if alloc, ok := addr.X.(*ssa.Alloc); ok {
			if val := onlyStore(fieldStores(alloc, addr.Field)); val != nil {
				return p.term(val)
			}
		}
		return p.field(addr.X, addr.X.Type(), addr.Field)
	case *ssa.Alloc:
		if val := onlyStore(p.storesTo(addr)); val != nil {
			return p.term(val)
		}
		return Term{id: addr, v: v}
	case *ssa.FreeVar:
		if b := p.binding(addr); b != nil {
			return p.load(b, v)
		}
	case *ssa.Global:
		if val := onlyStore(p.globals[addr]); val != nil {
			if t := p.term(val); t.Op == opConst {
				return t
			}
		}
		return Term{Op: opGlobal, Text: addr.RelString(nil)}
	case *ssa.IndexAddr:
		return Term{Op: opElem, Args: []Term{p.term(addr.X)}}
	case *ssa.Parameter:
		return p.term(addr)
	}
	return Term{id: v, v: v}
}

// field names field i of a struct or of what a pointer to one points at.
func (p *program) field(x ssa.Value, typ types.Type, i int) Term {
	return Term{Op: opField, Text: fieldName(typ, i), Args: []Term{p.term(x)}}
}

// fieldName returns "path.Type.field" for field i of the struct under typ.
func fieldName(typ types.Type, i int) string {
	if ptr, ok := typ.Underlying().(*types.Pointer); ok {
		typ = ptr.Elem()
	}
	st, ok := typ.Underlying().(*types.Struct)
	if !ok {
		return "struct.?"
	}
	name := "struct"
	if named, ok := types.Unalias(typ).(*types.Named); ok {
		obj := named.Origin().Obj()
		name = obj.Name()
		if obj.Pkg() != nil {
			name = obj.Pkg().Path() + "." + name
		}
	}
	return name + "." + st.Field(i).Name()
}

// binding returns what a closure captured as v: the variable's address.
func (p *program) binding(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	mc := p.closures[fn]
	if mc == nil {
		return nil
	}
	for i, fv := range fn.FreeVars {
		if fv == v {
			return mc.Bindings[i]
		}
	}
	return nil
}

// storesTo returns every value stored into a local variable, also by closures.
func (p *program) storesTo(addr ssa.Value) []ssa.Value {
	var out []ssa.Value
	refs := addr.Referrers()
	if refs == nil {
		return nil
	}
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == addr {
				out = append(out, r.Val)
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for i, b := range r.Bindings {
				if b == addr && i < len(fn.FreeVars) {
					out = append(out, p.storesTo(fn.FreeVars[i])...)
				}
			}
		case *ssa.Call, *ssa.Defer, *ssa.Go:
			if isScanTarget(addr) {
				out = append(out, nil) // somebody else writes it
			}
		case *ssa.MakeInterface:
			out = append(out, nil)
		}
	}
	return out
}

// isScanTarget reports whether a call that gets addr may fill the variable.
func isScanTarget(addr ssa.Value) bool {
	ptr, ok := addr.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, basic := ptr.Elem().Underlying().(*types.Basic)
	return !basic // &text as an argument names the text
}

// fieldStores returns the values stored into field i of a local struct.
func fieldStores(alloc *ssa.Alloc, i int) []ssa.Value {
	var out []ssa.Value
	for _, r := range *alloc.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok || fa.Field != i {
			continue
		}
		for _, r := range *fa.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == fa {
				out = append(out, st.Val)
			}
		}
	}
	return out
}

func onlyStore(vals []ssa.Value) ssa.Value {
	if len(vals) == 1 {
		return vals[0]
	}
	return nil
}

// evalCall names result i of a call by how it was computed.
func (p *program) evalCall(call *ssa.Call, i int) Term {
	c := p.callee(&call.Call)
	if c.obj == nil && c.fn == nil {
		return p.unknownResult(call, i)
	}
	name := c.name()
	args := c.args
	switch name {
	case "fmt.Sprintf":
		if f, ok := p.term(args[0]).constant(); ok {
			return p.sprintf(f, args[1])
		}
	case "fmt.Sprint":
		return concat(p.elementTerms(args[0])...)
	case "strings.Join":
		if sep, ok := p.term(args[1]).constant(); ok {
			return joined(p.elementTerms(args[0]), sep, call)
		}
	case "path.Join", "path/filepath.Join":
		return joined(p.elementTerms(args[0]), "/", call)
	}
	if row := p.rowWith(c, roleUnwrap); row != nil && len(args) > 0 {
		if pl, ok := row.First("sql"); ok { // a statement with other placeholders; what else comes is new
			if v := (site{p, call, c, row}).value(pl); v != nil && i == 0 {
				return p.term(v)
			}
			return p.unknownResult(call, i)
		}
		return p.term(args[0])
	}
	if p.isRow(c, roleRandomID) {
		return p.unknownResult(call, i)
	}
	if sig := c.signature(); sig != nil && len(args) == 1 && sig.Results().Len() == 1 && sig.Recv() == nil {
		if isPointerTo(sig.Results().At(0).Type(), sig.Params().At(0).Type()) || isPointerTo(sig.Params().At(0).Type(), sig.Results().At(0).Type()) {
			return p.term(args[0]) // aws.String and its like
		}
	}
	if c.fn != nil && len(c.fn.Blocks) > 0 && p.inlining < maxInline {
		if t, ok := p.inline(c.fn, args, i); ok {
			return t
		}
	}
	if len(args) == 0 || i > 0 {
		return p.unknownResult(call, i)
	}
	t := Term{Op: opCall, Text: name}
	for n, a := range args {
		if isContext(a.Type()) {
			continue
		}
		if sig := c.signature(); sig != nil && sig.Variadic() && n == len(args)-1 {
			if _, whole := p.elements(a); whole {
				t.Args = append(t.Args, p.elementTerms(a)...)
			} else {
				t.Args = append(t.Args, unknown(a))
			}
			continue
		}
		at := p.term(a)
		if at.size() > 12 {
			at = unknown(a)
		}
		t.Args = append(t.Args, at)
	}
	if len(t.Args) == 0 || !pureName(name) && c.fn == nil {
		return p.unknownResult(call, i)
	}
	return t
}

// pureName reports whether a function of another package may be taken to give
// equal results for equal arguments: those of the standard library's text
// packages, and any helper that says it makes a key or a name.
func pureName(name string) bool {
	pkg, _, _ := strings.Cut(strings.TrimLeft(name, "(*"), ".")
	switch pkg {
	case "strconv", "strings", "fmt", "path", "path/filepath", "bytes":
		return true
	}
	for _, w := range split(unqualified(name)) {
		switch w {
		case "key", "keys", "name", "path", "prefix", "string", "id":
			return true
		}
	}
	return false
}

// unknownResult is the identity of result i of a call.
func (p *program) unknownResult(call *ssa.Call, i int) Term {
	if v := resultValue(call, i); v != nil {
		return Term{id: v, v: v}
	}
	return Term{}
}

// resultValue returns the value that holds result i of call, if it is used.
func resultValue(call *ssa.Call, i int) ssa.Value {
	if call.Call.Signature().Results().Len() == 1 {
		return call
	}
	for _, r := range *call.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == i {
			return e
		}
	}
	return nil
}

// inline evaluates a helper that returns one expression of its parameters.
func (p *program) inline(fn *ssa.Function, args []ssa.Value, i int) (Term, bool) {
	ret := onlyReturn(fn)
	if ret == nil || i >= len(ret.Results) || len(fn.Params) != len(args) {
		return Term{}, false
	}
	p.inlining++
	t := p.term(ret.Results[i]).portable(fn, func(ssa.Value) int { return -1 })
	p.inlining--
	if !t.telling() || t.size() > 20 {
		return Term{}, false
	}
	return t.substitute(func(n int) Term { return p.term(args[n]) }, func(int) Term { return Term{} }), true
}

func onlyReturn(fn *ssa.Function) *ssa.Return {
	var only *ssa.Return
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			if only != nil {
				return nil
			}
			only = ret
		}
	}
	return only
}

// sprintf folds a format with the terms of its arguments.
func (p *program) sprintf(format string, variadic ssa.Value) Term {
	args := p.elementTerms(variadic)
	var parts []Term
	n := 0
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 || i+1 >= len(format) {
			parts = append(parts, constTerm(format))
			break
		}
		parts = append(parts, constTerm(format[:i]))
		j := i + 1
		for j < len(format)-1 && strings.IndexByte("+-# 0123456789.[]*", format[j]) >= 0 {
			j++
		}
		if format[j] == '%' {
			parts = append(parts, constTerm("%"))
		} else {
			if n < len(args) {
				parts = append(parts, args[n])
			} else {
				parts = append(parts, Term{})
			}
			n++
		}
		format = format[j+1:]
	}
	return concat(parts...)
}

func joined(terms []Term, sep string, call *ssa.Call) Term {
	if len(terms) == 0 {
		return unknown(call)
	}
	var parts []Term
	for i, t := range terms {
		if i > 0 {
			parts = append(parts, constTerm(sep))
		}
		parts = append(parts, t)
	}
	return concat(parts...)
}

func (p *program) elementTerms(v ssa.Value) []Term {
	vals, _ := p.elements(v)
	out := make([]Term, len(vals))
	for i, e := range vals {
		out[i] = p.term(e)
	}
	return out
}

func isPointerTo(ptr, elem types.Type) bool {
	q, ok := ptr.Underlying().(*types.Pointer)
	return ok && (types.Identical(q.Elem(), elem) || isTypeParam(elem) && isTypeParam(q.Elem()))
}

func isTypeParam(t types.Type) bool { _, ok := t.(*types.TypeParam); return ok }

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Context" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context"
}

func isError(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() == nil && named.Obj().Name() == "error"
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}
