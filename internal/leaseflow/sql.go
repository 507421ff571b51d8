package leaseflow

import (
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/sqltext"
	"golang.org/x/tools/go/ssa"
)

// sql reads the text that a call runs.
func (s site) sql(query bool) []Effect {
	text, ok := "", false
	if pl, has := s.row.First("sql"); has {
		v := s.value(pl)
		if len(pl.Path) > 0 && v != nil {
			v = s.p.fieldValue(v, pl.Path)
		}
		if v != nil {
			text, ok = s.p.text(v)
		}
	} else if pl, has := s.row.First("stmt"); has { // a prepared statement
		text, ok = s.p.preparedText(s.value(pl))
	}
	var args []ssa.Value
	if pl, has := s.row.First("args"); has {
		args, _ = s.p.elements(s.value(pl))
	}
	if !ok || !strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		if query {
			e := s.effect(Read)
			e.Key = Term{}
			return []Effect{e}
		}
		e := s.effect(Write) // unknown text: nothing can be said against it
		e.Guard, e.Weak = MaybeGuard, true
		return []Effect{e}
	}
	return s.p.statements(s, text, args)
}

// text folds the text behind v, with holes for what is not constant.
func (p *program) text(v ssa.Value) (string, bool) {
	t := p.term(v)
	if t.Op == opField {
		if vals := p.fields[t.Text]; len(vals) == 1 {
			return p.term(vals[0]).text()
		}
	}
	if t.Op == opElem && len(t.Args) == 1 { // a map or list of statements, all alike enough only when there is one
		return "", false
	}
	return t.text()
}

// preparedText finds the text of a statement that was prepared elsewhere.
func (p *program) preparedText(v ssa.Value) (string, bool) {
	for range 6 {
		switch x := v.(type) {
		case *ssa.Extract:
			v = x.Tuple
			continue
		case *ssa.Call:
			c := p.callee(&x.Call)
			if row := p.rowWith(c, models.SQLPrepare); row != nil {
				if pl, ok := row.First("sql"); ok {
					return p.text(site{p, x, c, row}.value(pl))
				}
			}
			return "", false
		case *ssa.UnOp:
			switch addr := x.X.(type) {
			case *ssa.FieldAddr:
				if val := onlyStore(p.fields[fieldName(addr.X.Type(), addr.Field)]); val != nil {
					v = val
					continue
				}
			case *ssa.Alloc:
				if val := onlyStore(p.storesTo(addr)); val != nil {
					v = val
					continue
				}
			}
		}
		return "", false
	}
	return "", false
}

func (p *program) statements(s site, text string, args []ssa.Value) []Effect {
	var out []Effect
	for _, st := range sqltext.Parse(text) {
		out = append(out, p.statement(s, st, args)...)
	}
	return out
}

func (p *program) statement(s site, st sqltext.Statement, args []ssa.Value) []Effect {
	var out []Effect
	for _, w := range st.With {
		if w.Writes() {
			out = append(out, p.statement(s, w, args)...)
		}
	}
	switch st.Verb {
	case sqltext.Select:
		e := s.effect(Read)
		e.Key = constTerm("table " + st.Source())
		e.Tx = st.ForUpdate
		switch {
		case epochCompared(st, epochWords):
			e.Guard = Fenced
		case epochCompared(st, tenureWords): // of a lease, if the rest says so
			e.Guard = OwnerGuard
		}
		return append(out, e)
	case sqltext.Insert, sqltext.Update, sqltext.Delete, sqltext.Merge, sqltext.Replace, sqltext.Truncate, sqltext.Copy:
	case sqltext.Call:
		if len(st.Locks) == 0 {
			e := s.effect(Write)
			e.Guard, e.Weak = MaybeGuard, true
			return append(out, e)
		}
		return out
	default:
		return out
	}
	g := st.Guard()
	r := record{verb: st.Verb, table: st.Table, guard: g.Kind, partial: st.Partial, conflict: st.Conflict}
	for _, a := range st.Set {
		r.sets = append(r.sets, a.Column)
		r.selfRef = r.selfRef || a.SelfRef && !a.Settles
		if isCleared(a.Value) {
			r.clears = append(r.clears, a.Column)
		}
	}
	r.sets = append(r.sets, st.Columns...)
	for _, c := range st.Where { // the end of one's own lease is as good as an owner
		if c.Op == "=" && c.Value.Kind == sqltext.Placeholder && sqltext.ColumnKind(c.Column) == sqltext.Expiry && r.guard != sqltext.Version {
			r.guard = sqltext.Owner
		}
	}
	r.addConds(st.Where)
	r.addConds(st.ConflictWhere)
	e := s.effect(Write)
	e.Key = constTerm("table " + st.Table)
	if st.Table == "" { // made elsewhere, like much of what is generic
		e.Key, e.Weak = Term{}, true
	}
	e.Row = p.rowNamed(st.Where, args)
	switch g.Kind {
	case sqltext.Owner, sqltext.Version:
		if i := g.Index - 1; i >= 0 && i < len(args) && args[i] != nil {
			e.Owner = p.term(args[i])
			e.Origin = p.origin(e.Owner)
		}
		e.Ordered = strings.ContainsAny(g.Cond.Op, "<>")
	}
	e.Token = storesToken(st)
	res := r.apply(e)
	for i := range res {
		if res[i].Kind == Write && !res[i].Lock {
			s.judgeUpdate(&res[i], st, args)
		}
		if res[i].Kind == Acquire {
			res[i].Gates = gateResults(s.c.signature())
			for _, a := range st.Set {
				if sqltext.ColumnKind(a.Column) == sqltext.Owner && a.Value.Index > 0 && a.Value.Index <= len(args) && args[a.Value.Index-1] != nil {
					res[i].Owner = p.term(args[a.Value.Index-1])
					res[i].Origin = p.origin(res[i].Owner)
				}
			}
		}
	}
	return append(out, res...)
}

// rowNamed joins the values that a condition asks columns to be equal to.
func (p *program) rowNamed(where []sqltext.Cond, args []ssa.Value) Term {
	var names []Term
	for _, c := range where {
		if i := c.Value.Index - 1; c.Op == "=" && c.Value.Kind == sqltext.Placeholder && i >= 0 && i < len(args) && args[i] != nil {
			names = append(names, p.term(args[i]))
		}
	}
	if len(names) == 0 {
		return Term{}
	}
	return concat(names...)
}

// storesToken reports whether the statement writes a token column without
// comparing it.
func storesToken(st sqltext.Statement) bool {
	cols := append([]string{}, st.Columns...)
	for _, a := range st.Set {
		if !a.SelfRef {
			cols = append(cols, a.Column)
		}
	}
	for _, c := range cols {
		switch c {
		case "fence", "token", "epoch", "fencing_token", "fence_token", "lock_token":
			return true
		}
	}
	return false
}

// tenureWords name columns that change with the ownership of a lease, unlike a
// version, which changes with the data.
var tenureWords = map[string]bool{"epoch": true, "fence": true, "fencing": true, "lease": true, "lock": true, "locked": true, "owner": true, "holder": true, "claim": true, "claimed": true, "leader": true}

// epochCompared reports a SELECT that compares an owner or version so called,
// itself or in a subquery.
func epochCompared(st sqltext.Statement, words map[string]bool) bool {
	check := func(conds []sqltext.Cond) bool {
		for _, c := range conds {
			k := sqltext.ColumnKind(c.Column)
			if (k == sqltext.Version || k == sqltext.Owner) && c.Op == "=" && c.Value.Kind == sqltext.Placeholder && hasAny(words, split(c.Column)) {
				return true
			}
		}
		return false
	}
	if check(st.Where) {
		return true
	}
	for _, sub := range st.Exists {
		if epochCompared(sub, words) {
			return true
		}
	}
	return false
}

func isCleared(v sqltext.Value) bool {
	if v.Kind != sqltext.Literal {
		return false
	}
	switch strings.ToLower(v.Text) {
	case "null", "0", "", "false", "-infinity", "epoch":
		return true
	}
	return false
}

// addConds notes the columns of a condition, and whether it asks that nobody
// holds the record.
func (r *record) addConds(conds []sqltext.Cond) {
	for _, c := range conds {
		r.compares = append(r.compares, c.Columns...)
		if c.Column != "" {
			r.compares = append(r.compares, c.Column)
		}
		if asksFree(c) {
			r.free = true
		}
		for _, branch := range c.Or {
			r.addConds(branch)
		}
	}
}

func asksFree(c sqltext.Cond) bool {
	switch sqltext.ColumnKind(c.Column) {
	case sqltext.Expiry:
		return c.Op == "<" || c.Op == "<=" || c.Op == "isnull"
	case sqltext.Owner:
		return c.Op == "isnull" || c.Op == "=" && c.Value.Kind == sqltext.Literal && isCleared(c.Value)
	case sqltext.Status:
		return c.Op == "=" && c.Value.Kind == sqltext.Literal
	}
	return false
}
