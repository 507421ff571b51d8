package leaseflow

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fencelint/fencelint/internal/sqltext"
	"golang.org/x/tools/go/ssa"
)

// judgeUpdate tells updates that a second holder may well repeat from those that
// lose something: a step from one state to another finds no row the second time,
// and a mark that is set on a row named by its id is set once and for all, as a
// row that is deleted by id is gone once and for all.
func (s site) judgeUpdate(e *Effect, st sqltext.Statement, args []ssa.Value) {
	if st.Verb != sqltext.Update || len(st.Set) == 0 {
		return
	}
	e.Fixed = !slices.ContainsFunc(st.Set, func(a sqltext.Assign) bool { return !s.p.fixedValue(a.Value, args) })
	switch {
	case e.Guard > StatusOnly:
	case transition(st) && s.looksAtRows():
		e.Guard, e.Claims = Conditional, true
	case transition(st):
		e.Guard, e.Weak = StatusOnly, !s.carries(st, args)
	case s.p.marks(st, args):
		e.Weak = true
	}
}

// carries reports whether an update stores more than the state that it asks for
// another of: the first holder to come decides what that is.
func (s site) carries(st sqltext.Statement, args []ssa.Value) bool {
	return slices.ContainsFunc(st.Set, func(a sqltext.Assign) bool {
		return !s.p.fixedValue(a.Value, args) && !slices.ContainsFunc(st.Where, func(c sqltext.Cond) bool { return c.Column == a.Column })
	})
}

// transition reports whether an update asks for another state than it sets.
func transition(st sqltext.Statement) bool {
	return slices.ContainsFunc(st.Set, func(a sqltext.Assign) bool {
		return !a.SelfRef && slices.ContainsFunc(st.Where, func(c sqltext.Cond) bool {
			if c.Column != a.Column {
				return false
			}
			switch c.Op {
			case "=", "is":
				return steady(c.Value) && steady(a.Value) && !sameValue(c.Value, a.Value)
			case "in":
				return true
			case "isnull":
				return !strings.EqualFold(a.Value.Text, "null")
			}
			return false
		})
	})
}

// steady reports a value that is the same for every row.
func steady(v sqltext.Value) bool {
	return v.Kind == sqltext.Literal || v.Kind == sqltext.Placeholder || v.Kind == sqltext.Now
}

func sameValue(a, b sqltext.Value) bool {
	return a.Kind == b.Kind && a.Index == b.Index && a.Name == b.Name && strings.EqualFold(a.Text, b.Text)
}

// marks reports whether an update sets no more than marks on the rows that it
// names: yes or no, the time of day, or nothing in place of what was there; or
// makes of what is there what it stays when it is made again.
func (p *program) marks(st sqltext.Statement, args []ssa.Value) bool {
	if st.Partial || len(st.Where) == 0 {
		return false
	}
	for _, a := range st.Set {
		if a.Settles {
			continue
		}
		if !p.fixedValue(a.Value, args) || !p.isMark(a.Column, a.Value, args) || hasWord(lockWords, a.Column) {
			return false
		}
	}
	return !slices.ContainsFunc(st.Where, func(c sqltext.Cond) bool {
		return c.Op != "=" && c.Op != "in" || c.Value.Kind == sqltext.Column
	})
}

func (p *program) isMark(column string, v sqltext.Value, args []ssa.Value) bool {
	text := v.Text
	switch v.Kind {
	case sqltext.Literal:
	case sqltext.Placeholder:
		var constant bool
		if text, constant = p.term(args[v.Index-1]).constant(); !constant {
			return true // the time of day
		}
	default:
		return true
	}
	switch strings.ToLower(text) {
	case "true", "false", "null", "nil":
		return true
	case "0", "1": // of a column that says yes or no
		return strings.HasPrefix(column, "is_") || strings.HasPrefix(column, "has_") || strings.HasSuffix(column, "ed") || strings.HasSuffix(column, "done")
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// fixedValue reports whether a value is a constant or the time of day.
func (p *program) fixedValue(v sqltext.Value, args []ssa.Value) bool {
	switch v.Kind {
	case sqltext.Literal:
		return true
	case sqltext.Now:
		return v.Index == 0 && len(v.Columns) == 0
	case sqltext.Placeholder:
		i := v.Index - 1
		if i < 0 || i >= len(args) || args[i] == nil {
			return false
		}
		t := p.term(args[i])
		if _, ok := t.constant(); ok {
			return true
		}
		return p.origin(t) == TimeOrigin
	case sqltext.Expr: // now_utc_micro_seconds() and its like
		return v.Index == 0 && v.Name == "" && len(v.Columns) == 0 && hasAny(map[string]bool{"now": true, "timestamp": true}, split(v.Text))
	}
	return false
}
