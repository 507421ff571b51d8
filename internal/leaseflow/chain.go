package leaseflow

import (
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/sqltext"
	"go/types"
	"golang.org/x/tools/go/ssa"
)

// chain is a chain of builder calls that ends in a finisher: what was said on
// the way.
type chain struct {
	texts    []string // SQL fragments of conditions
	conds    []string // columns compared by struct or map conditions
	sets     []string // columns set by text
	model    types.Type
	conflict sqltext.Conflict
	lock     bool // FOR UPDATE
	unknown  bool // a condition that cannot be read
	links    int
	tx       bool
}

// chainOf walks back from the receiver of a finisher.
func (p *program) chainOf(v ssa.Value, ch *chain, depth int) {
	if depth > 40 || v == nil {
		return
	}
	switch v := v.(type) {
	case *ssa.Phi:
		for _, e := range v.Edges {
			p.chainOf(e, ch, depth+10)
		}
	case *ssa.MakeInterface:
		p.chainOf(v.X, ch, depth+1)
	case *ssa.ChangeInterface:
		p.chainOf(v.X, ch, depth+1)
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Alloc:
			for _, val := range p.storesTo(addr) {
				p.chainOf(val, ch, depth+10)
			}
		case *ssa.FreeVar:
			if b, ok := p.binding(addr).(*ssa.Alloc); ok {
				for _, val := range p.storesTo(b) {
					p.chainOf(val, ch, depth+10)
				}
			}
		}
	case *ssa.Call:
		c := p.callee(&v.Call)
		if c.obj == nil || !c.hasRecv || len(c.args) == 0 {
			if c.fn != nil { // a scope helper of this package
				ch.unknown = ch.unknown || len(c.args) > 0 && c.obj != nil && strings.Contains(c.obj.Name(), "cope")
			}
			return
		}
		ch.links++
		p.link(c, v, ch)
		p.chainOf(c.args[0], ch, depth+1)
	}
}

// link reads one call of a chain.
func (p *program) link(c callee, call *ssa.Call, ch *chain) {
	name := c.obj.Name()
	row := p.rowWith(c, models.Condition)
	if row == nil {
		switch name {
		case "Model", "ModelContext", "NewStruct":
			for _, a := range c.args[1:] {
				if t := modelType(a); t != nil {
					ch.model = t
				}
			}
		case "Set":
			if len(c.args) > 1 {
				if t, ok := p.text(c.args[1]); ok {
					ch.sets = append(ch.sets, t)
				}
			}
		case "Scopes":
			ch.unknown = true
		case "Begin", "BeginTx":
			ch.tx = true
		default: // generated builders: Where(pred...), Where().Eq()
			if strings.HasPrefix(name, "Where") || strings.HasPrefix(name, "Filter") || name == "If" {
				ch.unknown = true
			}
		}
		return
	}
	s := site{p, call, c, row}
	switch name {
	case "WherePK":
		return
	case "Ignore":
		ch.conflict = sqltext.Nothing
		return
	case "For":
		ch.lock = true
		return
	case "On", "OnConflict":
		if pl, ok := row.First("sql"); ok {
			if t, ok := p.text(s.value(pl)); ok {
				up := strings.ToUpper(t)
				switch {
				case strings.Contains(up, "DO NOTHING"):
					ch.conflict = sqltext.Nothing
				case ch.conflict == sqltext.None:
					ch.conflict = sqltext.UpdateBlind
				}
			}
		}
		return
	case "Clauses":
		p.clauses(c, ch)
		return
	}
	pl, ok := row.First("cond")
	if !ok {
		pl, ok = row.First("sql")
	}
	if !ok {
		return
	}
	v := s.value(pl)
	if v == nil {
		return
	}
	if t, ok := p.text(v); ok {
		ch.texts = append(ch.texts, t)
		return
	}
	if d := p.docOf(v); len(d.keys) > 0 {
		for k := range d.keys {
			ch.conds = append(ch.conds, k)
		}
		return
	}
	ch.unknown = true
}

// clauses reads clause expressions by the names of their types: a locking
// clause, or what to do on a conflict.
func (p *program) clauses(c callee, ch *chain) {
	es, _ := p.elements(c.args[len(c.args)-1])
	for _, e := range es {
		if mi, ok := e.(*ssa.MakeInterface); ok {
			e = mi.X
		}
		named := namedOf(e.Type())
		if named == nil {
			ch.unknown = true
			continue
		}
		switch named.Obj().Name() {
		case "Locking":
			ch.lock = true
		case "OnConflict":
			d := p.docOf(e)
			ch.conflict = sqltext.UpdateBlind
			for k := range d.keys {
				if strings.HasPrefix(k, "do_nothing") {
					ch.conflict = sqltext.Nothing
				}
				if strings.HasPrefix(k, "where") {
					ch.conflict = sqltext.UpdateWhere
				}
			}
		case "Returning":
		default:
			ch.unknown = true
		}
	}
}

// modelType returns the struct type that a model argument stands for.
func modelType(v ssa.Value) types.Type {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
			continue
		case *ssa.Slice:
			if es, _ := arrayElementsOf(x); len(es) > 0 && es[0] != nil {
				v = es[0]
				continue
			}
			return nil
		}
		break
	}
	t := element(v.Type())
	if _, ok := t.Underlying().(*types.Struct); ok {
		return t
	}
	return nil
}

// element returns what pointers and lists lead to.
func element(t types.Type) types.Type {
	for {
		switch u := types.Unalias(t).(type) {
		case *types.Pointer:
			t = u.Elem()
			continue
		case *types.Slice:
			t = u.Elem()
			continue
		}
		return t
	}
}

func arrayElementsOf(s *ssa.Slice) ([]ssa.Value, bool) {
	if a, ok := s.X.(*ssa.Alloc); ok {
		return arrayElements(a)
	}
	return nil, false
}

// chainRecord reads the change that a finisher of a builder chain makes.
func (s site) chainRecord() (record, bool) {
	if s.row.Store != "sql" || !s.c.hasRecv {
		return record{}, false
	}
	var ch chain
	s.p.chainOf(s.c.args[0], &ch, 0)
	name := s.c.obj.Name()
	recvName := ""
	if n := namedOf(s.c.obj.Signature().Recv().Type()); n != nil {
		recvName = n.Obj().Name()
	}
	r := record{verb: sqltext.Update, conflict: ch.conflict, partial: ch.unknown}
	both := strings.ToLower(recvName + "." + name)
	switch {
	case strings.Contains(both, "delete"):
		r.verb = sqltext.Delete
	case strings.Contains(both, "insert") || strings.Contains(both, "create"):
		r.verb = sqltext.Insert
	case strings.Contains(both, "save") || strings.Contains(both, "upsert"):
		r.verb, r.conflict = sqltext.Replace, sqltext.UpdateBlind
	}
	for _, w := range []string{"value", "values", "models"} {
		if pl, ok := s.row.First(w); ok {
			if v := s.value(pl); v != nil {
				if t := modelType(v); t != nil {
					if ch.model == nil {
						ch.model = t
					}
					if r.verb != sqltext.Insert && r.verb != sqltext.Delete {
						for k := range s.p.docOf(v).keys {
							r.sets = append(r.sets, k)
						}
					}
				} else {
					for k := range s.p.docOf(v).keys {
						r.sets = append(r.sets, k)
					}
				}
			}
		}
	}
	if pl, ok := s.row.First("column"); ok {
		if col, ok := s.p.term(s.value(pl)).constant(); ok {
			r.sets = append(r.sets, col)
		}
	}
	if pl, ok := s.row.First("conds"); ok {
		if v := s.value(pl); v != nil {
			if es, _ := s.p.elements(v); len(es) > 0 && es[0] != nil {
				if t, ok := s.p.text(es[0]); ok {
					ch.texts = append(ch.texts, t)
				} else {
					for k := range s.p.docOf(es[0]).keys {
						ch.conds = append(ch.conds, k)
					}
				}
			}
		}
	}
	if ch.model != nil {
		if n := namedOf(ch.model); n != nil {
			r.table = n.Obj().Name()
		}
		if st := structUnder(ch.model); st != nil {
			for i := range st.NumFields() {
				if st.Field(i).Embedded() && strings.HasPrefix(st.Tag(i), "bun:\"table:") {
					r.table, _, _ = strings.Cut(strings.TrimPrefix(st.Tag(i), "bun:\"table:"), "\"")
				}
				if r.verb == sqltext.Insert {
					r.sets = append(r.sets, columnName(st, i))
				}
				if sqltext.ColumnKind(columnName(st, i)) == sqltext.Version && comparedByMapper(st, i) {
					r.guard = sqltext.Version
				}
			}
		}
	}
	r.readTexts(&ch)
	return r, true
}

// readTexts parses the fragments of conditions as a statement would hold them.
func (r *record) readTexts(ch *chain) {
	set := "x = ?"
	if len(ch.sets) > 0 {
		set = strings.Join(ch.sets, ", ")
	} else if len(r.sets) > 0 && r.verb == sqltext.Update {
		set = strings.Join(r.sets, " = ?, ") + " = ?"
	}
	text := "UPDATE t SET " + set
	if len(ch.texts) > 0 {
		text += " WHERE " + strings.Join(ch.texts, " AND ")
	}
	for _, st := range sqltext.Parse(text) {
		if st.Verb != sqltext.Update {
			continue
		}
		for _, a := range st.Set {
			if a.Column == "x" {
				continue
			}
			if !slices.Contains(r.sets, a.Column) {
				r.sets = append(r.sets, a.Column)
			}
			r.selfRef = r.selfRef || a.SelfRef
			if isCleared(a.Value) {
				r.clears = append(r.clears, a.Column)
			}
		}
		r.addConds(st.Where)
		if g := st.Guard(); g.Kind != sqltext.NoGuard && r.guard == sqltext.NoGuard {
			r.guard = g.Kind
		}
		if r.verb == sqltext.Insert && len(st.Where) > 0 {
			r.conflict = sqltext.UpdateWhere
		}
	}
	for _, c := range ch.conds {
		r.compares = append(r.compares, c)
		if k := sqltext.ColumnKind(c); k != sqltext.NoGuard && (r.guard == sqltext.NoGuard || k < r.guard) {
			r.guard = k
		}
	}
}

// modelLock reads the change of a mapper or builder; nil when the call is none.
func (s site) modelLock(e *Effect) []Effect {
	r, ok := s.chainRecord()
	if !ok {
		return nil
	}
	if g := e.Guard; g != Unguarded && g != MaybeGuard {
		r.guard = sqltext.Conditional
	}
	out := r.apply(*e)
	if r.moves() {
		s.claims(out)
	}
	for i := range out {
		out[i].Weak = out[i].Weak || out[i].Kind == Write && r.verb == sqltext.Update && s.setsMark()
		if out[i].Kind == Acquire {
			out[i].Gates = gateResults(s.c.signature())
		}
	}
	return out
}

// setsMark reports whether a mapper sets one column to yes, no or nothing, which
// it stays when it is set again.
func (s site) setsMark() bool {
	if _, ok := s.row.First("column"); !ok {
		return false
	}
	text, ok := s.term("value").constant()
	return ok && (text == "true" || text == "false" || text == "nil")
}

// chainGuard is the guard that the rest of a builder chain adds to a write of
// a store without SQL: the Cmps of a Txn, the If of an object handle.
func (s site) chainGuard() Guard {
	if !s.c.hasRecv || len(s.c.args) == 0 || s.row.Store == "sql" {
		return Unguarded
	}
	return s.p.condLinks(s.c.args[0], 0)
}

func (p *program) condLinks(v ssa.Value, depth int) Guard {
	if depth > 12 || v == nil {
		return Unguarded
	}
	switch v := v.(type) {
	case *ssa.Call:
		c := p.callee(&v.Call)
		if c.obj == nil || !c.hasRecv || len(c.args) == 0 {
			return Unguarded
		}
		if row := p.rowWith(c, models.Condition); row != nil && len(c.args) > 1 {
			if es, whole := p.elements(c.args[1]); !whole || len(es) > 0 {
				return Conditional
			}
		}
		return p.condLinks(c.args[0], depth+1)
	case *ssa.Phi:
		g := Unguarded
		for _, e := range v.Edges {
			g = max(g, p.condLinks(e, depth+4))
		}
		return g
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Alloc:
			g := Unguarded
			for _, val := range p.storesTo(addr) {
				g = max(g, p.condLinks(val, depth+4))
			}
			return g
		}
	}
	return Unguarded
}
