package models

import "go/types"

// Match returns the rows of a function or method, nil when nothing is known.
//
// A method is looked up where it is declared: a promoted method under the
// embedded type, a method of an interface under the interface that lists it,
// a method of an instantiated type under its generic origin. Pointers do not
// count.
func (c *Catalogue) Match(fn *types.Func) []*Row {
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	if c.pkgs[unvendor(fn.Pkg().Path())] == nil {
		return nil
	}
	recv := ""
	if r := fn.Origin().Signature().Recv(); r != nil {
		named := receiver(r.Type())
		if named == nil {
			return nil // a method of an interface literal has no name to look up
		}
		recv = named.Obj().Name()
	}
	return c.lookup(fn.Pkg().Path()).byName[name{recv, fn.Name()}]
}

// MatchType returns the rows of a method of a named type by the method's name
// or, for method "", those of calling a value of the named func type.
func (c *Catalogue) MatchType(named *types.Named, method string) []*Row {
	if named == nil || named.Obj().Pkg() == nil {
		return nil
	}
	p := c.lookup(named.Obj().Pkg().Path())
	if p == nil {
		return nil
	}
	return p.byName[name{named.Obj().Name(), method}]
}

// receiver returns the named type that t is or points to.
func receiver(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}
