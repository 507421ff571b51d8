package luatext

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// list evaluates expressions; the last may stand for several values.
func (w *walker) list(exprs []ast.Expr) []value {
	var out []value
	for i, e := range exprs {
		v := w.eval(e)
		if !v.multi {
			out = append(out, v)
			continue
		}
		if i < len(exprs)-1 {
			out = append(out, at(v.items, 0))
			continue
		}
		if v.items != nil {
			out = append(out, v.items...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// single evaluates an expression for one value.
func (w *walker) single(e ast.Expr) value {
	v := w.eval(e)
	if v.multi {
		if v.items != nil {
			return at(v.items, 0)
		}
		v.multi = false
	}
	return v
}

func (w *walker) eval(e ast.Expr) value {
	if e == nil || !w.step() {
		return opaque("")
	}
	w.nesting++
	defer func() { w.nesting-- }()
	switch e := e.(type) {
	case *ast.TrueExpr:
		return keyword("true")
	case *ast.FalseExpr:
		return keyword("false")
	case *ast.NilExpr:
		return keyword("nil")
	case *ast.NumberExpr:
		return literal(e.Value)
	case *ast.StringExpr:
		return literal(strings.ReplaceAll(e.Value, stand, string(hole)))
	case *ast.Comma3Expr:
		if c := w.lookup("..."); c != nil {
			return c.v
		}
		return value{arg: Arg{Kind: Unknown}, multi: true}
	case *ast.IdentExpr:
		return w.ident(e.Value)
	case *ast.AttrGetExpr:
		return w.single(e.Object).index(w.single(e.Key))
	case *ast.TableExpr:
		return w.table(e)
	case *ast.FuncCallExpr:
		return w.call(e)
	case *ast.LogicalOpExpr:
		return w.logical(e)
	case *ast.RelationalOpExpr:
		l, r := w.single(e.Lhs), w.single(e.Rhs)
		v := opaque("(" + l.show() + e.Operator + r.show() + ")")
		v.cond = compare(e.Operator, l, r)
		return v
	case *ast.StringConcatOpExpr:
		l, r := w.single(e.Lhs), w.single(e.Rhs)
		return concat(l, r)
	case *ast.ArithmeticOpExpr:
		l, r := w.single(e.Lhs), w.single(e.Rhs)
		text := "(" + l.show() + e.Operator + r.show() + ")"
		if l.read == nil && len(l.alts) == 0 && r.read != nil {
			return r.derived(text)
		}
		return l.derived(text)
	case *ast.UnaryMinusOpExpr:
		v := w.single(e.Expr)
		if v.arg.Kind == Literal && !v.word {
			return literal("-" + v.arg.Text)
		}
		return v.derived("-" + v.show())
	case *ast.UnaryNotOpExpr:
		v := w.single(e.Expr)
		out := opaque("not " + v.show())
		out.cond = not(v.truth())
		return out
	case *ast.UnaryLenOpExpr:
		v := w.single(e.Expr)
		return v.derived("#" + v.show())
	case *ast.FunctionExpr:
		return w.function(e)
	}
	return opaque("")
}

func (w *walker) ident(name string) value {
	if c := w.lookup(name); c != nil {
		return c.v
	}
	switch name {
	case "KEYS", "ARGV":
		return value{lib: name, arg: Arg{Kind: Expr, Text: name}}
	case stand:
		return opaque(string(hole))
	}
	return value{lib: name, arg: Arg{Kind: Expr, Text: strings.ReplaceAll(name, stand, string(hole))}}
}

func concat(l, r value) value {
	if l.arg.Kind == Literal && r.arg.Kind == Literal && !l.word && !r.word {
		return literal(l.arg.Text + r.arg.Text)
	}
	v := opaque(l.show() + ".." + r.show())
	switch {
	case l.read != nil && r.read == nil:
		v.read, v.arg.Kind = l.read, Result
	case r.read != nil && l.read == nil:
		v.read, v.arg.Kind = r.read, Result
	}
	return v
}

func (w *walker) table(e *ast.TableExpr) value {
	v := value{arg: Arg{Kind: Unknown}, items: []value{}}
	for _, f := range e.Fields {
		if f.Key != nil {
			v = v.with(w.single(f.Key), w.single(f.Value))
			continue
		}
		v.items = append(v.items, w.single(f.Value))
	}
	return v
}

// with is the table v with one more field.
func (v value) with(key, field value) value {
	if key.arg.Kind != Literal || key.word || len(v.fields) >= maxFields {
		return v
	}
	fields := make(map[string]value, len(v.fields)+1)
	for name, old := range v.fields {
		fields[name] = old
	}
	fields[key.arg.Text] = field
	v.fields = fields
	return v
}

// maxFields bounds the fields of a table that are followed.
const maxFields = 64

// logical evaluates and, or. The right side runs only under the left one.
func (w *walker) logical(e *ast.LogicalOpExpr) value {
	l := w.single(e.Lhs)
	when := l.truth()
	if e.Operator == "or" {
		when = not(when)
	}
	var r value
	w.under(when, func() { r = w.single(e.Rhs) })
	if e.Operator == "and" {
		if l.cond != nil && (r.cond != nil || r.read != nil) && r.arg.Kind != Result {
			return condition(l, "and", r, and(l.truth(), r.truth()))
		}
		return choose(when, r, no(l))
	}
	if l.cond != nil && r.cond != nil {
		return condition(l, "or", r, or(l.truth(), r.truth()))
	}
	if l.cond == nil && len(l.alts) == 0 && !l.word && r.arg.Kind == Literal { // a default
		return l.otherwise(r)
	}
	return choose(not(when), l, r)
}

// no is what a falsy value is: false, where it is only known to be that.
func no(v value) value {
	if v.cond != nil || v.read != nil || len(v.alts) > 0 {
		return keyword("false")
	}
	return v
}

func condition(l value, op string, r value, c *formula) value {
	v := opaque("(" + l.show() + " " + op + " " + r.show() + ")")
	v.cond = c
	return v
}

// under evaluates a part of an expression that runs only under a condition.
func (w *walker) under(when *formula, part func()) {
	if when.op == isFalse {
		return
	}
	_, changed := w.branch(when, part)
	for cell, v := range changed {
		w.set(cell, choose(when, v, cell.v))
	}
}

func (w *walker) function(f *ast.FunctionExpr) value {
	c := &closure{f, w.scope}
	w.made = append(w.made, c)
	return value{arg: Arg{Kind: Unknown}, fn: c}
}
