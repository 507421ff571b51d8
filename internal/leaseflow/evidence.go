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
	return hasWord(lockWords, p.keyNames(e.Key)...) || hasWord(lockWords, p.context(e.fn)...)
}

// ownWords reports whether the key itself, not what surrounds it, says lock.
func (p *program) ownWords(t Term) bool { return hasWord(lockWords, p.keyNames(t)...) }

// aliases returns the shapes of the fields that hold the value of t: the key
// of an acquire is often stored and read back by the release.
func (p *program) aliases(t Term) []string {
	if !t.known() {
		return nil
	}
	var out []string
	for name, vals := range p.fields {
		for _, v := range vals {
			u := p.term(v)
			if t.v != nil && v == t.v || u.Equal(t) || t.telling() && u.telling() && t.Op != opField && t.Op != opConst && u.Shape() == t.Shape() {
				out = append(out, name)
				break
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
