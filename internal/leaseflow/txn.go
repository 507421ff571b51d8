package leaseflow

import (
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// txn is a call that runs several operations, or a func argument, as one.
func (s site) txn() []Effect {
	if pl, ok := s.row.First("body"); ok && pl.Root == models.Arg {
		e := s.effect(RunBody)
		e.Func = pl.Index
		if s.c.hasRecv {
			e.Func++
		}
		e.Tx = true
		if _, watched := s.row.First("keys"); watched { // optimistic: the commit fails if the keys changed
			e.Guard = Conditional
		}
		if s.row.Attr["verb"] == "fence" {
			e.Guard = Fenced
		}
		return []Effect{e}
	}
	if pl, ok := s.row.First("ops"); ok {
		v := s.value(pl)
		if v == nil {
			return nil
		}
		if len(pl.Path) > 0 {
			v = s.p.fieldValue(v, pl.Path)
		}
		return s.operations(v)
	}
	return nil
}

// operations reads a list of operations that take effect together. Any
// condition among them guards all.
func (s site) operations(v ssa.Value) []Effect {
	es, whole := s.p.elements(v)
	e := s.effect(Write)
	e.Tx = true
	if !whole || len(es) == 0 {
		e.Guard, e.Weak = MaybeGuard, true
		return []Effect{e}
	}
	for _, op := range es {
		if s.p.madeByCondition(op, 0) || s.conditionOp(op) {
			e.Guard = Conditional
		}
	}
	if key := s.opKey(es); key.known() {
		e.Key = key
	}
	return []Effect{e}
}

// conditionWords appear in the type names and verbs of operations that compare.
var conditionWords = []string{"check", "cas", "condition", "precondition", "lock", "expect"}

// conditionOp reports whether an operation of a list is a condition, by its
// type, its verb or a condition field that is set.
func (s site) conditionOp(v ssa.Value) bool {
	if v == nil {
		return false
	}
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	if n := namedOf(v.Type()); n != nil {
		for _, w := range split(n.Obj().Name()) {
			if w == "check" || w == "cas" || w == "condition" {
				return true
			}
		}
	}
	d := s.p.docOf(v)
	for k, val := range d.keys {
		k = strings.ToLower(k)
		if strings.Contains(k, "condition") || strings.HasSuffix(k, "index") || strings.Contains(k, "ifmatch") {
			return true
		}
		if strings.HasSuffix(k, "verb") && val != nil {
			if t, ok := s.p.term(val).constant(); ok {
				for _, w := range conditionWords {
					if strings.Contains(t, w) {
						return true
					}
				}
			}
		}
		if strings.HasSuffix(k, "version") && val != nil {
			if t, ok := s.p.term(val).constant(); !ok || t != "-1" {
				return true
			}
		}
	}
	return !d.known && len(d.keys) == 0
}

func (s site) opKey(ops []ssa.Value) Term {
	for _, op := range ops {
		if t := s.p.opTerm(op); t.known() {
			return t
		}
	}
	return Term{}
}

// opTerm returns the key of an operation value.
func (p *program) opTerm(op ssa.Value) Term {
	call, ok := op.(*ssa.Call)
	if !ok {
		return Term{}
	}
	c := p.callee(&call.Call)
	if row := p.rowWith(c, models.WriteOp, models.CWriteOp); row != nil {
		return site{p, call, c, row}.term("key", "table", "doc")
	}
	return Term{}
}

// operation is a single operation handed to a generic Do.
func (s site) operation(v ssa.Value) []Effect {
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	c := s.p.callee(&call.Call)
	row := s.p.rowWith(c, models.WriteOp, models.CWriteOp)
	if row == nil {
		return nil
	}
	e := s.effect(Write)
	e.Key = site{s.p, call, c, row}.term("key")
	e.Action = actionOf(row, strings.TrimPrefix(c.obj.Name(), "Op"))
	if row.Role == models.CWriteOp {
		e.Guard = Conditional
	}
	return []Effect{e}
}

// commit is the end of a transaction that was built link by link, such as
// Txn().If(cmps...).Then(ops...).Commit().
func (s site) commit() []Effect {
	if !s.c.hasRecv || len(s.c.args) == 0 {
		return nil
	}
	t := s.p.txnLinks(s.c.args[0], 0)
	if t.then == nil {
		return nil
	}
	e := s.effect(Write)
	e.API = "Txn"
	e.Tx = true
	if t.conds > 0 || t.unknown {
		e.Guard = Conditional
	}
	var out []Effect
	for _, op := range t.then {
		w := e
		call, ok := op.(*ssa.Call)
		if !ok {
			w.Guard = max(w.Guard, MaybeGuard)
			out = append(out, w)
			continue
		}
		c := s.p.callee(&call.Call)
		row := s.p.rowWith(c, models.WriteOp, models.CWriteOp)
		if row == nil {
			continue
		}
		w.Key = site{s.p, call, c, row}.term("key")
		w.Action = actionOf(row, strings.TrimPrefix(c.obj.Name(), "Op"))
		if w.Action == Overwrite && t.asksPresence(w.Key) {
			w.Guard = StatusOnly
		}
		if w.Action == Overwrite && t.createOnly {
			a := w
			a.Kind, a.Candidate, a.Guard = Acquire, true, Unguarded
			a.Owner = site{s.p, call, c, row}.term("value")
			a.NoExpiry = !hasOption(s.p, call)
			a.Gates = gateResults(s.c.signature())
			a.Gates = append(a.Gates, 0)
			out = append(out, a)
		}
		out = append(out, w)
	}
	return out
}

func hasOption(p *program, call *ssa.Call) bool {
	c := p.callee(&call.Call)
	if len(c.args) == 0 {
		return false
	}
	es, _ := p.elements(c.args[len(c.args)-1])
	return len(es) > 0
}

type txnLinks struct {
	conds      int
	present    []Term // keys that are only asked to be there
	unknown    bool
	createOnly bool // compares that the key is absent
	then       []ssa.Value
}

func (p *program) txnLinks(v ssa.Value, depth int) txnLinks {
	var t txnLinks
	if depth > 8 {
		return t
	}
	switch v := v.(type) {
	case *ssa.Call:
		c := p.callee(&v.Call)
		if c.obj == nil || !c.hasRecv || len(c.args) == 0 {
			return t
		}
		t = p.txnLinks(c.args[0], depth+1)
		row := p.rowWith(c, models.Condition, models.CWrite)
		if row == nil || len(c.args) < 2 {
			return t
		}
		es, whole := p.elements(c.args[1])
		if row.Role == models.Condition {
			t.conds += len(es)
			t.unknown = t.unknown || !whole
			for _, e := range es {
				switch key, op := p.existence(e); op {
				case "=":
					t.createOnly = true
				case "!=", ">":
					t.present = append(t.present, key)
				}
			}
			return t
		}
		if es == nil {
			es = []ssa.Value{c.args[1]}
		}
		t.then = append(t.then, es...)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			for _, val := range p.storesTo(a) {
				t.add(p.txnLinks(val, depth+2))
			}
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			t.add(p.txnLinks(e, depth+2))
		}
	}
	return t
}

// add takes what one more value of the same variable may ask and do.
func (t *txnLinks) add(u txnLinks) {
	t.conds += u.conds
	t.present = append(t.present, u.present...)
	t.unknown = t.unknown || u.unknown
	t.createOnly = t.createOnly || u.createOnly
	t.then = append(t.then, u.then...)
}
