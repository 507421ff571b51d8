package leaseflow

import (
	"go/types"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// maxMinted bounds how far the making of a name is followed, and to how many
// callers.
const maxMinted = 8

// mintedHere reports whether a name is a random value, or holds one, that this
// run has made: in the function that uses it, in one that it calls, or in all
// that call it. A random name that comes out of a record may have been read back
// from a store by anybody.
func (p *program) mintedHere(t Term, depth int) bool {
	if depth > maxMinted {
		return false
	}
	switch t.Op {
	case opConcat:
		return slices.ContainsFunc(t.Args, func(a Term) bool { return p.mintedHere(a, depth+1) })
	case opUnknown:
		return p.callOrigin(t.v, 0) == RandomOrigin || p.nanoseconds(t.v)
	case opCall:
		if p.callOrigin(t.v, 0) == RandomOrigin || p.nanoseconds(t.v) {
			return true
		}
		if made, ok := p.gotBack(t.v); ok {
			return made != nil && p.mintedHere(p.term(made), depth+1)
		}
		return slices.ContainsFunc(t.Args, func(a Term) bool { return p.mintedHere(a, depth+1) })
	case opParam:
		return p.mintedByCallers(t.v, nil, depth)
	case opField:
		return len(t.Args) == 1 && (p.grantedID(t) || p.mintedField(t, depth))
	}
	return false
}

// nanoseconds reports a reading of the clock that is so fine, down to microseconds
// at least, that nobody else has the same.
func (p *program) nanoseconds(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	switch c := p.callee(&call.Call); c.name() {
	case "(time.Time).UnixNano":
		return true
	case "(time.Time).Format":
		layout, _ := p.term(c.args[1]).constant()
		return strings.Contains(layout, ".000000") || strings.Contains(layout, ".999999")
	}
	return false
}

// grantedID reports the id of a lease that the store has just given: no other has it.
func (p *program) grantedID(t Term) bool {
	res, ok := t.Args[0].v.(*ssa.Extract)
	if !ok {
		return false
	}
	call, ok := res.Tuple.(*ssa.Call)
	if !ok {
		return false
	}
	row := p.rowWith(p.callee(&call.Call), models.LockCtor)
	if row == nil {
		return false
	}
	pl, ok := row.First("lease")
	return ok && pl.Root == models.Result && pl.Index == res.Index && len(pl.Path) == 1 && strings.HasSuffix(t.Text, "."+pl.Path[0])
}

// mintedField judges a field of a struct that was made here, or by all callers;
// the only field of a struct, which is the struct itself by another name; or one
// that this process alone can have filled.
func (p *program) mintedField(t Term, depth int) bool {
	of := t.Args[0]
	path := []string{t.Text[strings.LastIndexByte(t.Text, '.')+1:]}
	if of.v != nil {
		if val := p.fieldValue(of.v, path); val != nil {
			return p.mintedHere(p.term(val), depth+1)
		}
		if st := structUnder(of.v.Type()); st != nil {
			if st.NumFields() > 1 && !livesHere(st) {
				return p.mintedByCallers(of.v, path, depth)
			}
			if st.NumFields() > 1 {
				vals := p.fields[t.Text]
				return len(vals) > 0 && !slices.ContainsFunc(vals, func(v ssa.Value) bool { return !p.mintedHere(p.term(v), depth+1) })
			}
		}
	}
	return p.mintedHere(of, depth+1)
}

// livesHere reports whether values of a struct cannot be read back from a store,
// as they hold what only a process has.
func livesHere(st *types.Struct) bool {
	for i := range st.NumFields() {
		switch u := st.Field(i).Type().Underlying().(type) {
		case *types.Signature, *types.Chan:
			return true
		case *types.Interface:
			if u.NumMethods() > 0 {
				return true
			}
		}
	}
	return false
}

// mintedByCallers reports whether a parameter, or a field of it, is a name that
// every caller has made up. What is exported may have others.
func (p *program) mintedByCallers(v ssa.Value, path []string, depth int) bool {
	param, ok := v.(*ssa.Parameter)
	if !ok || depth > maxMinted {
		return false
	}
	fn := param.Parent()
	i := slices.Index(fn.Params, param)
	calls := p.callers[fn]
	if i < 0 || len(calls) == 0 || len(calls) > maxMinted || fn.Object() == nil || fn.Object().Exported() || len(p.handed[fn]) > 0 {
		return false
	}
	for _, call := range calls {
		args := p.callee(call.Common()).args
		if i >= len(args) {
			return false
		}
		name := args[i]
		if path != nil {
			if inner, ok := name.(*ssa.Parameter); ok {
				if !p.mintedByCallers(inner, path, depth+2) {
					return false
				}
				continue
			}
			if name = p.fieldValue(name, path); name == nil {
				return false
			}
		}
		if !p.mintedHere(p.term(name), depth+2) {
			return false
		}
	}
	return true
}

// gotBack finds what a getter gives back of a value that a constructor has made,
// when both are of another package: the argument that is called as the getter
// is. ok is false when v is no such call; made is nil when none is called so.
func (p *program) gotBack(v ssa.Value) (made ssa.Value, ok bool) {
	call, isCall := v.(*ssa.Call)
	if !isCall {
		return nil, false
	}
	get := p.callee(&call.Call)
	if get.obj == nil || get.fn != nil || !get.hasRecv || len(get.args) != 1 {
		return nil, false
	}
	from, isCall := get.args[0].(*ssa.Call)
	if !isCall {
		return nil, false
	}
	c := p.callee(&from.Call)
	if c.obj == nil || c.fn != nil || c.hasRecv || namedOf(from.Type()) == nil {
		return nil, false
	}
	words := split(get.obj.Name())
	best := 0
	for i, a := range c.args {
		if i >= c.obj.Signature().Params().Len() {
			break
		}
		name := split(c.obj.Signature().Params().At(i).Name())
		if len(name) > best && !slices.ContainsFunc(name, func(w string) bool { return !slices.Contains(words, w) }) {
			made, best = a, len(name)
		}
	}
	return made, true
}
