package leaseflow

import (
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// beatUnseen reports whether a lock is taken from a holder judged dead by a
// condition that the holder's next sign of life does not break: the filter is
// made of the record that was read, and asks nothing that a renewal sets.
func (p *program) beatUnseen(u *event, v *verdict, all map[*ssa.Function][]*event) bool {
	if v == nil || v.effect.Check != ClockCheck || !u.direct || u.Action != Delete || u.Guard < MaybeGuard || u.Guard == SameTx {
		return false
	}
	asked := p.filterColumns(u, all[u.fn])
	if len(asked) == 0 {
		return false
	}
	for _, fn := range p.fns {
		for _, b := range all[fn] {
			if b.Kind != Write && b.Kind != Renew || !b.direct || b.Action == Delete || b.Store != u.Store || !b.Key.Equal(u.Key) {
				continue
			}
			r, ok := p.siteOf(b).documentRecord()
			if ok && len(r.sets) > 0 && len(r.clears) == 0 && !slices.ContainsFunc(r.sets, func(c string) bool { return slices.Contains(asked, c) }) {
				return true
			}
		}
	}
	return false
}

// siteOf sees the primitive call of a write as the models do.
func (p *program) siteOf(e *event) site {
	c := p.callee(e.call.Common())
	row := p.rowWith(c, models.Write, models.CWrite)
	if row == nil {
		row = &models.Row{}
	}
	return site{p, e.call, c, row}
}

// filterColumns lists what a filter asks for that is a record read before, or a
// part of it; nothing when it cannot be told.
func (p *program) filterColumns(u *event, evs []*event) []string {
	s := p.siteOf(u)
	pl, ok := s.row.First("filter")
	if !ok {
		return nil
	}
	v := s.value(pl)
	if v == nil || len(p.readsBehind(v, evs)) == 0 {
		return nil
	}
	if d := p.docOf(v); d.known && len(d.keys) > 0 {
		var out []string
		for k := range d.keys {
			if strings.HasPrefix(k, "$") {
				return nil
			}
			out = append(out, strings.SplitN(k, ".", 2)[0])
		}
		return out
	}
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	return columnsOf(v)
}

// columnsOf lists the columns that a whole struct has at the store.
func columnsOf(v ssa.Value) []string {
	st := structUnder(v.Type())
	if st == nil {
		return nil
	}
	var out []string
	for i := range st.NumFields() {
		if st.Field(i).Embedded() && strings.Contains(st.Tag(i), "inline") {
			return nil // nothing certain
		}
		out = append(out, columnName(st, i))
	}
	return out
}
