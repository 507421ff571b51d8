package leaseflow

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Dispatch is a call through an interface and the implementation that was
// taken for it: of several, a caller may know that it is another one. Where more
// than one lead to the same place, by embedding, Type lists them with a space between.
type Dispatch struct {
	Iface string `json:",omitempty"` // that declares the method, as typeKey writes it
	Type  string `json:",omitempty"`
}

// or returns the dispatch that stands for either of two ways to one place; none
// if they have no interface in common.
func (d Dispatch) or(other Dispatch) Dispatch {
	if d.Iface != other.Iface || d.Iface == "" {
		return Dispatch{}
	}
	types := append(strings.Fields(d.Type), strings.Fields(other.Type)...)
	slices.Sort(types)
	d.Type = strings.Join(slices.Compact(types), " ")
	return d
}

// typeKey names a type across packages; "" if it has no name.
func typeKey(t types.Type) string {
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// declaredIn names the interface that lists a method.
func declaredIn(m *types.Func) string {
	if d := declaringInterface(m); d != nil {
		return typeKey(d)
	}
	return ""
}

// hasMethodOf reports whether an interface is, or embeds, the one that is named.
func hasMethodOf(t types.Type, iface string) bool {
	it, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range it.Methods() {
		if declaredIn(m) == iface {
			return true
		}
	}
	return false
}

// elsewhere reports whether an effect of a call belongs to an implementation
// that cannot be meant there.
func (p *program) elsewhere(e *Effect, c callee) bool {
	if e.Via.Iface == "" || !c.hasRecv || len(c.args) == 0 {
		return false
	}
	made := p.madeOf(c.args[0], e.Via.Iface, 0)
	return made != "" && !slices.Contains(strings.Fields(e.Via.Type), made)
}

// madeOf tells which implementation of an interface a value holds or was made
// with: by a conversion, a literal, or a call that was handed one. It is "" if
// that does not show.
func (p *program) madeOf(v ssa.Value, iface string, depth int) string {
	if v == nil || depth > 4 {
		return ""
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		if hasMethodOf(v.Type(), iface) {
			return typeKey(v.X.Type())
		}
		return p.madeOf(v.X, iface, depth+1)
	case *ssa.ChangeInterface:
		return p.madeOf(v.X, iface, depth+1)
	case *ssa.Extract:
		return p.madeOf(v.Tuple, iface, depth+1)
	case *ssa.Call:
		return p.onlyOne(v.Call.Args, iface)
	case *ssa.Alloc:
		var set []ssa.Value
		for _, r := range *v.Referrers() {
			if fa, ok := r.(*ssa.FieldAddr); ok {
				for _, r := range *fa.Referrers() {
					if st, ok := r.(*ssa.Store); ok && st.Addr == fa {
						set = append(set, st.Val)
					}
				}
			}
		}
		if len(set) > 0 {
			return p.onlyOne(set, iface)
		}
		return p.madeOf(onlyStore(p.storesTo(v)), iface, depth+1)
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Alloc:
			return p.madeOf(onlyStore(p.storesTo(addr)), iface, depth+1)
		case *ssa.FreeVar:
			if b, ok := p.binding(addr).(*ssa.Alloc); ok {
				return p.madeOf(onlyStore(p.storesTo(b)), iface, depth+1)
			}
		case *ssa.FieldAddr: // what nobody else can set
			name := fieldName(addr.X.Type(), addr.Field)
			if !ast.IsExported(name[strings.LastIndexByte(name, '.')+1:]) {
				return p.madeOf(onlyStore(p.fields[name]), iface, depth+1)
			}
		}
	}
	return ""
}

// onlyOne returns the one implementation of an interface among values.
func (p *program) onlyOne(vals []ssa.Value, iface string) string {
	found := ""
	for _, v := range vals {
		mi, ok := v.(*ssa.MakeInterface)
		if !ok || !hasMethodOf(mi.Type(), iface) {
			continue
		}
		key := typeKey(mi.X.Type())
		if key == "" || found != "" && found != key {
			return ""
		}
		found = key
	}
	return found
}
