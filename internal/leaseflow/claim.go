package leaseflow

import (
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/sqltext"
	"golang.org/x/tools/go/ssa"
)

// moves reports whether a change takes a record out of the state that it asks
// for.
func (r *record) moves() bool {
	return r.verb == sqltext.Update && slices.ContainsFunc(r.sets, func(c string) bool {
		return sqltext.ColumnKind(c) == sqltext.Status && slices.Contains(r.compares, c)
	})
}

// claims marks the changes that let one worker alone go on: each takes a record
// out of the state that it asks for, and the program learns whether there was one.
func (s site) claims(effects []Effect) {
	for i := range effects {
		e := &effects[i]
		if e.Claims = e.Kind == Write && e.Action == Overwrite && s.looksAtRows(); e.Claims {
			e.Guard = max(e.Guard, Conditional)
		}
	}
}

// looksAtRows reports whether the program learns whether a statement found its
// row: it asks how many there were, or reads what the statement returns.
func (s site) looksAtRows() bool {
	if s.row.Role == models.SQLQuery || strings.HasPrefix(s.c.obj.Name(), "FindOneAnd") {
		return true
	}
	call, ok := s.call.(*ssa.Call)
	return ok && slices.ContainsFunc(s.p.rowCounts(call), func(n ssa.Value) bool {
		return slices.ContainsFunc(*n.Referrers(), func(r ssa.Instruction) bool { _, note := r.(*ssa.DebugRef); return !note })
	})
}

// rowCounts lists where a program asks how many rows a statement has met.
func (p *program) rowCounts(statement *ssa.Call) []ssa.Value {
	res := resultValue(statement, 0)
	if res == nil || res.Referrers() == nil {
		return nil
	}
	if isInteger(res.Type()) {
		return []ssa.Value{res}
	}
	var out []ssa.Value
	for _, r := range *res.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			if st := structUnder(r.X.Type()); st == nil || !countNames[st.Field(r.Field).Name()] {
				continue
			}
			for _, load := range *r.Referrers() {
				if n, ok := load.(*ssa.UnOp); ok {
					out = append(out, n)
				}
			}
		case *ssa.Call:
			if c := p.callee(&r.Call); c.obj == nil || c.obj.Name() != "RowsAffected" {
				continue
			}
			if n := resultValue(r, 0); n != nil && n.Referrers() != nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// countNames are the fields of a result that say how many records were met.
var countNames = map[string]bool{"RowsAffected": true, "MatchedCount": true, "ModifiedCount": true}

// claimed reports whether a write happens only where an earlier one under the
// same lease has taken a record out of its state: the successor finds that gone,
// and does not come as far.
func (p *program) claimed(e *event, r *region, evs []*event) bool {
	return slices.ContainsFunc(evs, func(c *event) bool {
		return c.Kind == Write && c.Claims && c != e && c.At != e.At && !c.deferred && !c.spawned && r.held.has(c.call) &&
			before(c.call, e.call) && c.call.Block().Dominates(e.call.Block()) && p.asked(c, e) && !p.unheeded(c, e) && (!c.direct || c.call.Common().Signature().Results().Len() < 2 || p.foundRow(c, e))
	})
}

// asked reports whether the answer of c is looked at on the way to e.
func (p *program) asked(c, e *event) bool {
	for d := e.call.Block().Idom(); d != nil; d = d.Idom() {
		if cond, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If); ok && p.failure(cond.Cond, c) >= 0 {
			return true
		}
		if d == c.call.Block() {
			return false
		}
	}
	return false
}
