package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// keyNames returns the words that people gave to a key: its own, and those of
// what is stored into the field that it is read from.
func (p *program) keyNames(t Term) []string {
	names := t.names()
	var more func(t Term, depth int)
	more = func(t Term, depth int) {
		if depth > 2 {
			return
		}
		if t.Op == opField {
			for _, v := range p.fields[t.Text] {
				u := p.term(v)
				names = append(names, u.names()...)
				more(u, depth+1)
			}
		}
		for _, a := range t.Args {
			if t.Op != opField {
				more(a, depth+1)
			}
		}
	}
	more(t, 0)
	if t.v != nil {
		if pr, ok := t.v.(*ssa.Parameter); ok {
			names = append(names, pr.Name())
		}
	}
	return names
}

// lockEvidence reports whether words around a hand-made acquire say that it is
// a lock.
func (p *program) lockEvidence(e *event) bool {
	if e.words == maybe {
		e.words = no
		names := p.keyNames(e.Key)
		if !hasWord(onceWords, names...) && !hasWord(onceWords, root(e.fn).Name()) && (hasWord(lockWords, names...) || p.aboutLocks(e.fn) || p.setsLeaderFlag(e.fn)) {
			e.words = yes
		}
	}
	return e.words == yes
}

// setsLeaderFlag reports whether a function sets a flag that says who leads.
func (p *program) setsLeaderFlag(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			var addr ssa.Value
			switch in := in.(type) {
			case *ssa.Store:
				if isBool(in.Val.Type()) {
					addr = in.Addr
				}
			case *ssa.Call:
				if c := p.callee(&in.Call); c.obj != nil && c.obj.Pkg() != nil && c.obj.Pkg().Path() == "sync/atomic" &&
					(c.obj.Name() == "Store" || c.obj.Name() == "Swap" || c.obj.Name() == "CompareAndSwap") && len(c.args) > 1 && isBool(c.args[1].Type()) {
					addr = c.args[0]
				}
			}
			if fa, ok := addr.(*ssa.FieldAddr); ok && hasAny(leaderWords, split(unqualified(fieldName(fa.X.Type(), fa.Field)))) {
				return true
			}
		}
	}
	return false
}

// aboutLocks reports whether the names around a function say lock.
func (p *program) aboutLocks(fn *ssa.Function) bool {
	r := root(fn)
	about, ok := p.lockish[r]
	if !ok {
		about = hasWord(lockWords, p.context(r)...)
		p.lockish[r] = about
	}
	return about
}

// ownWords reports whether the key itself, not what surrounds it, says lock.
func (p *program) ownWords(t Term) bool { return hasWord(lockWords, p.keyNames(t)...) }

// holders finds the struct fields that a value is stored into.
type holders struct {
	byValue map[ssa.Value][]string
	byShape map[string][]string // of telling terms that are computed, not read or constant
}

func (p *program) holdersIndex() *holders {
	if p.holders != nil {
		return p.holders
	}
	h := &holders{byValue: map[ssa.Value][]string{}, byShape: map[string][]string{}}
	for name, vals := range p.fields {
		if p.cat.IsClient(holderOf(holderOf(name))) {
			continue // a request, which holds whatever is asked for
		}
		for _, v := range vals {
			u := p.term(v)
			h.byValue[v] = append(h.byValue[v], name)
			if u.v != nil && u.v != v {
				h.byValue[u.v] = append(h.byValue[u.v], name)
			}
			if u.telling() && u.Op != opField && u.Op != opConst {
				h.byShape[u.Shape()] = append(h.byShape[u.Shape()], name)
			}
		}
	}
	p.holders = h
	return h
}

// aliases returns the shapes of the fields that hold the value of t: the key
// of an acquire is often stored and read back by the release.
func (p *program) aliases(t Term) []string {
	if !t.known() {
		return nil
	}
	h := p.holdersIndex()
	var out []string
	if t.v != nil {
		out = append(out, h.byValue[t.v]...)
	}
	if t.telling() && t.Op != opField && t.Op != opConst {
		out = append(out, h.byShape[t.Shape()]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
