package leaseflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// elements returns the elements of a slice that is built here; whole is false
// when there may be more.
func (p *program) elements(v ssa.Value) (elems []ssa.Value, whole bool) {
	return p.elementsDepth(v, 0)
}

func (p *program) elementsDepth(v ssa.Value, depth int) (elems []ssa.Value, whole bool) {
	if depth > 8 {
		return nil, false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return nil, v.Value == nil
	case *ssa.ChangeType:
		return p.elementsDepth(v.X, depth+1)
	case *ssa.MakeInterface:
		return p.elementsDepth(v.X, depth+1)
	case *ssa.Slice:
		alloc, ok := v.X.(*ssa.Alloc)
		if !ok {
			return p.elementsDepth(v.X, depth+1)
		}
		return arrayElements(alloc)
	case *ssa.Alloc:
		return arrayElements(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return p.loadedElements(v, depth)
		}
	case *ssa.Phi: // the part that all paths share
		for _, e := range v.Edges {
			if _, again := e.(*ssa.Phi); again {
				continue
			}
			es, _ := p.elementsDepth(e, depth+1)
			if len(es) > len(elems) {
				elems = es
			}
		}
		return elems, false
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" && len(v.Call.Args) == 2 {
			head, w1 := p.elementsDepth(v.Call.Args[0], depth+1)
			tail, w2 := p.elementsDepth(v.Call.Args[1], depth+1)
			if !w1 {
				return head, false
			}
			return append(append([]ssa.Value{}, head...), tail...), w2
		}
		if c := p.callee(&v.Call); c.obj != nil && isVariadicWrap(c) { // redis.Args{}.Add(...), bson.A and the like
			return p.elementsDepth(c.args[len(c.args)-1], depth+1)
		}
	}
	return nil, false
}

// isVariadicWrap reports whether a method takes ...any and returns the list
// type that it is a method of, as redigo's Args.Add does.
func isVariadicWrap(c callee) bool {
	sig := c.signature()
	if sig == nil || !sig.Variadic() || sig.Results().Len() != 1 {
		return false
	}
	_, slice := sig.Results().At(0).Type().Underlying().(*types.Slice)
	return slice && sig.Recv() != nil && types.Identical(sig.Recv().Type(), sig.Results().At(0).Type())
}

func (p *program) loadedElements(v *ssa.UnOp, depth int) ([]ssa.Value, bool) {
	switch addr := v.X.(type) {
	case *ssa.Alloc:
		if val := onlyStore(p.storesTo(addr)); val != nil {
			return p.elementsDepth(val, depth+1)
		}
	case *ssa.FreeVar:
		if b, ok := p.binding(addr).(*ssa.Alloc); ok {
			if val := onlyStore(p.storesTo(b)); val != nil {
				return p.elementsDepth(val, depth+1)
			}
		}
	case *ssa.Global:
		if val := onlyStore(p.globals[addr]); val != nil {
			return p.elementsDepth(val, depth+1)
		}
	}
	return nil, false
}

func arrayElements(alloc *ssa.Alloc) (elems []ssa.Value, whole bool) {
	arr, ok := alloc.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || arr.Len() > 256 {
		return nil, false
	}
	elems = make([]ssa.Value, arr.Len())
	for _, r := range *alloc.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		c, ok := ia.Index.(*ssa.Const)
		if !ok {
			continue
		}
		i, ok := constant.Int64Val(c.Value)
		if !ok || i < 0 || int(i) >= len(elems) {
			continue
		}
		elems[i] = ia // a struct element that is filled field by field
		for _, r := range *ia.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == ia {
				elems[i] = st.Val
			}
		}
	}
	return elems, true
}

// doc is what a composite value (a filter, an update, an option struct, a
// model) says: its keys, dotted when nested, and their values.
type doc struct {
	keys  map[string]ssa.Value
	known bool // nothing else can be in it
}

// docOf reads a composite value: struct literals by field or tag name, maps
// and lists of key-value pairs by their constant keys.
func (p *program) docOf(v ssa.Value) doc {
	d := doc{keys: map[string]ssa.Value{}, known: true}
	p.collect(v, "", &d, 0)
	return d
}

func (p *program) collect(v ssa.Value, prefix string, d *doc, depth int) {
	if v == nil {
		return
	}
	if depth > 8 {
		d.known = false
		return
	}
	switch v := v.(type) {
	case *ssa.Const:
	case *ssa.MakeInterface:
		p.collect(v.X, prefix, d, depth+1)
	case *ssa.ChangeType:
		p.collect(v.X, prefix, d, depth+1)
	case *ssa.ChangeInterface:
		p.collect(v.X, prefix, d, depth+1)
	case *ssa.Phi:
		for _, e := range v.Edges {
			p.collect(e, prefix, d, depth+1)
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			p.collectLoad(v, prefix, d, depth)
			return
		}
		d.known = false
	case *ssa.MakeMap:
		p.collectMap(v, prefix, d, depth)
	case *ssa.Slice, *ssa.Alloc, *ssa.IndexAddr:
		if st := structUnder(v.Type()); st != nil {
			p.collectStruct(v, st, prefix, d, depth)
			return
		}
		elems, whole := p.elements(v)
		d.known = d.known && whole
		for _, e := range elems {
			p.collectPair(e, prefix, d, depth)
		}
	case *ssa.Call:
		c := p.callee(&v.Call)
		if c.fn != nil {
			if ret := onlyReturn(c.fn); ret != nil && len(ret.Results) > 0 && depth < 4 {
				p.collect(ret.Results[0], prefix, d, depth+2)
				return
			}
		}
		if sig := c.signature(); sig != nil && len(c.args) == 1 && sig.Results().Len() == 1 && sig.Recv() == nil {
			d.keys[strings.TrimSuffix(prefix, ".")] = v
			return
		}
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			for _, a := range v.Call.Args {
				p.collect(a, prefix, d, depth+1)
			}
			return
		}
		d.known = false
	default:
		d.known = false
	}
}

func (p *program) collectLoad(v *ssa.UnOp, prefix string, d *doc, depth int) {
	switch addr := v.X.(type) {
	case *ssa.Alloc:
		if st := structUnder(addr.Type()); st != nil && len(p.storesTo(addr)) == 0 {
			p.collectStruct(addr, st, prefix, d, depth)
			return
		}
		if val := onlyStore(p.storesTo(addr)); val != nil {
			p.collect(val, prefix, d, depth+1)
			return
		}
	case *ssa.FreeVar:
		if b, ok := p.binding(addr).(*ssa.Alloc); ok {
			if val := onlyStore(p.storesTo(b)); val != nil {
				p.collect(val, prefix, d, depth+1)
				return
			}
		}
	case *ssa.Global:
		if val := onlyStore(p.globals[addr]); val != nil {
			p.collect(val, prefix, d, depth+1)
			return
		}
	case *ssa.IndexAddr:
		p.collect(addr, prefix, d, depth+1)
		return
	}
	d.known = false
}

func (p *program) collectMap(v *ssa.MakeMap, prefix string, d *doc, depth int) {
	for _, r := range *v.Referrers() {
		up, ok := r.(*ssa.MapUpdate)
		if !ok || up.Map != ssa.Value(v) {
			continue
		}
		key, ok := p.term(up.Key).constant()
		if !ok {
			d.known = false
			continue
		}
		d.keys[prefix+key] = up.Value
		p.collectValue(up.Value, prefix+key+".", d, depth+1)
	}
}

// collectPair reads an element of a list of pairs, such as bson.E.
func (p *program) collectPair(e ssa.Value, prefix string, d *doc, depth int) {
	if e == nil {
		return
	}
	st := structUnder(e.Type())
	if st == nil || st.NumFields() != 2 || st.Field(0).Name() != "Key" {
		p.collect(e, prefix, d, depth+1)
		return
	}
	var addr ssa.Value = e
	if u, ok := e.(*ssa.UnOp); ok {
		addr = u.X
	}
	refs := addr.Referrers()
	if refs == nil {
		d.known = false
		return
	}
	var key string
	var val ssa.Value
	for _, r := range *refs {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, r := range *fa.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == fa {
				if fa.Field == 0 {
					key, _ = p.term(s.Val).constant()
				} else {
					val = s.Val
				}
			}
		}
	}
	if key == "" {
		d.known = false
		return
	}
	d.keys[prefix+key] = val
	p.collectValue(val, prefix+key+".", d, depth+1)
}

// collectValue reads what stands under a key. A plain value that is not known
// leaves the document known; a document does not.
func (p *program) collectValue(v ssa.Value, prefix string, d *doc, depth int) {
	known := d.known
	p.collect(v, prefix, d, depth)
	for {
		mi, ok := v.(*ssa.MakeInterface)
		if !ok {
			break
		}
		v = mi.X
	}
	if v != nil && !isDocType(v.Type()) {
		d.known = known
	}
}

func structUnder(t types.Type) *types.Struct {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

// collectStruct reads the fields that are set in a struct literal.
func (p *program) collectStruct(v ssa.Value, st *types.Struct, prefix string, d *doc, depth int) {
	refs := v.Referrers()
	if refs == nil {
		d.known = false
		return
	}
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			name := columnName(st, r.Field)
			for _, r2 := range *r.Referrers() {
				if s, ok := r2.(*ssa.Store); ok && s.Addr == r {
					d.keys[prefix+name] = s.Val
					if _, literal := s.Val.(*ssa.Alloc); literal || structUnder(s.Val.Type()) == nil || isDocType(s.Val.Type()) {
						known := d.known
						p.collect(s.Val, prefix+name+".", d, depth+3)
						d.known = known || isDocType(s.Val.Type()) && d.known
					}
				}
			}
		case *ssa.Store:
			if r.Addr == v {
				p.collect(r.Val, prefix, d, depth+1)
			}
		}
	}
}

func isDocType(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Slice:
		return true
	}
	return false
}

// columnName returns the name that a struct field has at the store: its tag's
// for bson, json, db, bun and gorm, else its own in lower case.
func columnName(st *types.Struct, i int) string {
	tag := reflect.StructTag(st.Tag(i))
	for _, k := range []string{"bson", "db", "bun", "json", "dynamodbav"} {
		if name, _, _ := strings.Cut(tag.Get(k), ","); name != "" && name != "-" {
			return strings.ToLower(name)
		}
	}
	if g := tag.Get("gorm"); g != "" {
		for _, part := range strings.Split(g, ";") {
			if name, ok := strings.CutPrefix(part, "column:"); ok {
				return strings.ToLower(name)
			}
		}
	}
	return strings.ToLower(strings.Join(split(st.Field(i).Name()), "_"))
}

// tri is a three-valued answer.
type tri uint8

const (
	maybe tri = iota
	yes
	no
)
