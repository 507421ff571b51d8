package leaseflow

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// itemMark begins the text of a term that names a record by its columns.
const itemMark = "item:"

// item names the record that a call with a compound key works on: the columns
// in order, and what each is to be. It is unknown when the call names none.
func (s site) item(words ...string) Term {
	for _, w := range words {
		pl, ok := s.row.First(w)
		if !ok || len(pl.Path) == 0 {
			continue
		}
		v := s.value(pl)
		if v == nil {
			continue
		}
		if v = s.p.fieldValue(v, pl.Path); v == nil || !isDocType(v.Type()) {
			continue
		}
		leaves := map[string]ssa.Value{}
		for name, val := range s.p.docOf(v).keys {
			column, _, nested := strings.Cut(name, ".")
			if val != nil && (nested || leaves[column] == nil) {
				leaves[column] = val
			}
		}
		t := Term{Op: opCall, Text: itemMark + strings.Join(slices.Sorted(maps.Keys(leaves)), ",")}
		for _, column := range slices.Sorted(maps.Keys(leaves)) {
			t.Args = append(t.Args, s.p.term(leaves[column]))
		}
		if len(t.Args) > 0 {
			return t
		}
	}
	return Term{}
}

// otherRecord reports whether two names certainly differ although they are made
// from the same parts: what a lock keeps beside itself, such as its holder's
// description, is often called by the lock's own name and a suffix.
func otherRecord(a, b Term) bool {
	as, ok := strings.CutPrefix(a.Text, itemMark)
	bs, both := strings.CutPrefix(b.Text, itemMark)
	if ok && both {
		names := strings.Split(as, ",")
		for i, name := range strings.Split(bs, ",") {
			if j := slices.Index(names, name); j >= 0 && otherRecord(a.Args[j], b.Args[i]) {
				return true
			}
		}
		return false
	}
	va, ca := nameParts(a)
	vb, cb := nameParts(b)
	return len(va) > 0 && slices.Equal(va, vb) && ca != cb
}

// nameParts splits a name into the shapes of what is not constant and the text
// around them; no shapes when one of them could be anything.
func nameParts(t Term) (shapes []string, text string) {
	args := []Term{t}
	if t.Op == opConcat {
		args = t.Args
	}
	for _, a := range args {
		switch a.Op {
		case opConst:
			text += a.Text
			continue
		case opParam, opUnknown:
			return nil, ""
		}
		shapes = append(shapes, a.Shape())
		text += hole
	}
	return shapes, text
}
