package leaseflow

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// markFresh notes the writes to a record that this run inserted earlier on the
// same way: a successor inserts another, or is refused when it inserts the same.
func (p *program) markFresh(fn *ssa.Function, evs []*event) {
	made, looked := []insertion(nil), false
	for _, e := range evs {
		if e.Kind != Write || e.Own || e.Action == Insert || e.Action == Send || e.deferred || e.spawned {
			continue
		}
		if !looked {
			made, looked = p.insertions(evs), true
		}
		e.Own = slices.ContainsFunc(made, func(in insertion) bool {
			return in.call != e.call && in.Store == e.Store && !otherTable(&in.Effect, &e.Effect) && p.leadsTo(in, e) &&
				(p.namesRecord(e, in.record) || p.saves(e, in.record) || p.supersedes(e, in))
		})
	}
}

// An insertion is a call that adds a record and fails if it is there already.
type insertion struct {
	*event
	record ssa.Value // the pointer to the record
}

// insertions lists the calls that insert the record which they are given by
// pointer, so that its key is in it afterwards. What might overwrite or skip a
// record that is there is no insertion.
func (p *program) insertions(evs []*event) []insertion {
	var out []insertion
	for _, e := range evs {
		if e.Kind != Write || e.Action != Insert || !refusesTwice(&e.Effect) || e.deferred || e.spawned {
			continue
		}
		call, ok := e.call.(*ssa.Call)
		if !ok || len(errorResults(call.Call.Signature())) == 0 {
			continue
		}
		if slices.ContainsFunc(evs, func(o *event) bool { // of another store, or a part of the same record written after
			return o.call == e.call && o.Kind == Write && o.Action == Overwrite && o.Guard < MaybeGuard && !o.Weak && !o.Own && o.Store == e.Store
		}) {
			continue
		}
		c := p.callee(call.Common())
		for i, a := range c.args {
			if i == 0 && c.hasRecv || isContext(a.Type()) {
				continue
			}
			for _, v := range p.records(a) {
				if saysInsert(c, v) {
					out = append(out, insertion{e, v})
				}
			}
		}
	}
	return out
}

// refusesTwice reports whether the store gives records a key of their own, and
// nothing asks it to overlook one that is there.
func refusesTwice(e *Effect) bool {
	switch e.Store {
	case "sql":
		return e.Guard == Unguarded
	case "mongo", "spanner", "firestore", "datastore":
		return true
	}
	return false
}

// otherTable reports whether two effects certainly are on different tables, of
// which one may be named by its Go type: the last word of the name is another.
func otherTable(a, b *Effect) bool {
	x, known := a.Key.constant()
	y, both := b.Key.constant()
	return known && both && x != noTable && y != noTable && lastWord(x) != lastWord(y)
}

func lastWord(name string) string {
	words := split(name)
	if len(words) == 0 {
		return ""
	}
	return strings.TrimSuffix(words[len(words)-1], "s")
}

// saysInsert reports whether the name of what is called promises to add the
// record itself, not something else about it.
func saysInsert(c callee, record ssa.Value) bool {
	n := namedOf(record.Type())
	if c.obj == nil || n == nil {
		return false
	}
	of, inserts := split(n.Obj().Name()), false
	for _, w := range split(c.obj.Name()) {
		switch {
		case w == "insert" || w == "create":
			inserts = true
		case !besideName[w] && !slices.Contains(of, w):
			return false
		}
	}
	return inserts
}

// besideName are words that say how a record is added, not which.
var besideName = map[string]bool{"one": true, "new": true, "tx": true, "with": true, "in": true, "ctx": true, "context": true, "db": true, "and": true, "sign": true, "row": true, "record": true}

// records lists the pointers to structs that an argument is, or holds as a list
// of anything.
func (p *program) records(a ssa.Value) []ssa.Value {
	vals := []ssa.Value{a}
	if s, ok := a.(*ssa.Slice); ok {
		vals, _ = arrayElementsOf(s)
	}
	var out []ssa.Value
	for _, v := range vals {
		if mi, ok := v.(*ssa.MakeInterface); ok {
			v = mi.X
		}
		if v != nil && isPointer(v.Type()) && structUnder(v.Type()) != nil {
			out = append(out, v)
		}
	}
	return out
}

// leadsTo reports whether every way to e goes by the insertion, and on only if
// that worked.
func (p *program) leadsTo(in insertion, e *event) bool {
	if in.fn != e.fn || !before(in.call, e.call) {
		return false
	}
	call := in.call.(*ssa.Call)
	for _, i := range errorResults(call.Call.Signature()) {
		err := resultValue(call, i)
		if err == nil {
			continue
		}
		asks := func(v ssa.Value) bool { return v == err || storedIn(err, v) }
		for d := e.call.Block(); d != nil && d != call.Block(); d = d.Idom() {
			from := d.Idom()
			if from == nil {
				break
			}
			cond, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
			if !ok {
				continue
			}
			if refused := p.sense(cond.Cond, asks, 0); refused >= 0 && !pathAvoiding(from.Succs[refused], e.call.Block(), call.Block()) {
				return true
			}
		}
	}
	return false
}

// storedIn reports whether a value is a load of the variable that v was stored in.
func storedIn(v, load ssa.Value) bool {
	l, ok := load.(*ssa.UnOp)
	return ok && v.Referrers() != nil && slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		st, ok := r.(*ssa.Store)
		return ok && st.Addr == l.X && st.Val == v
	})
}

// namesRecord reports whether a write means the record by the key in it.
func (p *program) namesRecord(e *event, record ssa.Value) bool {
	of := p.term(record)
	names := []Term{e.Row, e.Key}
	if len(e.Row.Args) > 0 && e.Row.Op == opConcat {
		names = append(names, e.Row.Args...)
	}
	if slices.ContainsFunc(names, func(t Term) bool {
		return t.Op == opField && len(t.Args) == 1 && idField(t.Text) && t.Args[0].Equal(of)
	}) {
		return true
	}
	st := structUnder(record.Type())
	for i := range st.NumFields() { // the key that was put into it
		if !idField(fieldName(record.Type(), i)) {
			continue
		}
		if val := p.fieldValue(record, []string{st.Field(i).Name()}); val != nil && slices.ContainsFunc(names, func(t Term) bool { return t.Equal(p.term(val)) }) {
			return true
		}
	}
	return false
}

// idField reports whether a field is by its name the key of the struct that it
// is in.
func idField(full string) bool {
	holder, field, _ := strings.Cut(full[strings.LastIndexByte(full, '/')+1:], ".")
	if i := strings.LastIndexByte(field, '.'); i >= 0 {
		holder, field = field[:i], field[i+1:]
	}
	field = strings.ToLower(field)
	return field == "id" || field == "uuid" || field == "uid" || field == "objectid" || field == strings.ToLower(holder)+"id"
}

// saves reports whether a write is given the very record.
func (p *program) saves(e *event, record ssa.Value) bool {
	c := p.callee(e.call.Common())
	of := p.term(record)
	for i, a := range c.args {
		if i == 0 && c.hasRecv {
			continue
		}
		if slices.ContainsFunc(p.records(a), func(v ssa.Value) bool { return v == record || p.term(v).Equal(of) }) {
			return true
		}
	}
	return false
}
