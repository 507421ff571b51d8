package leaseflow

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/sqltext"
	"golang.org/x/tools/go/ssa"
)

// filterGuard judges the filter document of a write: MaybeGuard when it cannot
// be read whole.
func (s site) filterGuard() Guard {
	r, ok := s.documentRecord()
	if !ok {
		return Unguarded
	}
	return r.guardWorth()
}

// documentRecord reads a change whose condition is a filter document.
func (s site) documentRecord() (record, bool) {
	fpl, hasFilter := s.row.First("filter")
	dpl, hasDoc := s.row.First("doc")
	upl, hasUpdate := s.row.First("update")
	if !hasFilter && !hasDoc && !hasUpdate {
		return record{}, false
	}
	r := record{verb: sqltext.Update, table: s.collection()}
	switch actionOf(s.row, s.c.obj.Name()) {
	case Delete:
		r.verb = sqltext.Delete
	case Insert:
		r.verb = sqltext.Insert
	}
	if hasFilter {
		v := s.value(fpl)
		if v == nil {
			return record{}, false
		}
		f := s.p.docOf(v)
		r.partial = !f.known || len(f.keys) == 0
		var names []Term
		for _, k := range slices.Sorted(maps.Keys(f.keys)) {
			r.addFilterKey(k)
			if v := f.keys[k]; v != nil && !strings.Contains(k, "$") {
				names = append(names, s.p.term(v))
			}
		}
		if len(names) > 0 {
			r.asked = concat(names...)
		}
	}
	if hasUpdate {
		if v := s.value(upl); v != nil {
			u := s.p.docOf(v)
			for k, val := range u.keys {
				op, col, _ := strings.Cut(k, ".")
				switch op {
				case "$set", "$setoninsert", "$setOnInsert", "$currentDate", "$max", "$min":
				case "$inc", "$push", "$addToSet", "$mul":
					r.selfRef = r.selfRef || op == "$inc" || op == "$mul"
				case "$unset":
					if col != "" {
						r.clears = append(r.clears, col)
					}
				default:
					if strings.HasPrefix(op, "$") {
						continue
					}
					col = k
				}
				if col == "" {
					continue
				}
				r.sets = append(r.sets, col)
				if val != nil {
					if t, ok := s.p.term(val).constant(); ok && (t == "" || t == "nil" || t == "0") {
						r.clears = append(r.clears, col)
					}
				}
			}
		}
	}
	if hasDoc {
		if v := s.value(dpl); v != nil {
			for k := range s.p.docOf(v).keys {
				if !strings.Contains(k, ".") {
					r.sets = append(r.sets, k)
				}
			}
		}
	}
	return r, true
}

func (r *record) addFilterKey(k string) {
	parts := strings.Split(k, ".")
	col := ""
	ordered := false
	for _, part := range parts {
		switch part {
		case "$lt", "$lte":
			ordered = true
		case "$or", "$and", "$not", "$exists", "$eq", "$in", "$ne", "$gt", "$gte", "":
		default:
			if !strings.HasPrefix(part, "$") {
				col = part
			}
		}
	}
	if col == "" {
		return
	}
	r.compares = append(r.compares, col)
	kind := sqltext.ColumnKind(col)
	if kind == sqltext.Expiry && ordered {
		r.free = true
	}
	if kind == sqltext.NoGuard {
		return
	}
	if r.guard == sqltext.NoGuard || kind < r.guard {
		r.guard = kind
	}
}

// collection names the collection that a document call works on.
func (s site) collection() string {
	if !s.c.hasRecv || len(s.c.args) == 0 {
		return ""
	}
	t := s.p.term(s.c.args[0])
	if t.Op == opField { // a collection kept in a field
		name := unqualified(t.Text)
		for _, v := range s.p.fields[t.Text] {
			name += " " + s.p.madeWith(v)
		}
		return name
	}
	return strings.TrimSpace(strings.Join(t.names(), " ") + " " + s.p.madeWith(t.v))
}

// madeWith lists the constant texts that a call got: the name of a collection
// or bucket stands where its handle is made.
func (p *program) madeWith(v ssa.Value) string {
	call, ok := v.(*ssa.Call)
	if !ok {
		return strings.Join(p.term(v).names(), " ")
	}
	var out []string
	for _, a := range call.Call.Args {
		if t, ok := p.term(a).constant(); ok {
			out = append(out, t)
		}
	}
	return strings.Join(out, " ")
}

// mongoLock tells a lock document from any other; nil when it is none.
func (s site) mongoLock(e *Effect) []Effect {
	r, ok := s.documentRecord()
	if !ok {
		return nil
	}
	e.Row = r.asked
	out := r.apply(*e)
	if r.moves() {
		s.claims(out)
	}
	for i := range out {
		if out[i].Kind == Acquire {
			out[i].Gates = gateResults(s.c.signature())
			out[i].Gates = append(out[i].Gates, 0)
		}
	}
	return out
}
