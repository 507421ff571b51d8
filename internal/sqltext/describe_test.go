package sqltext

import (
	"strconv"
	"strings"
)

// describe renders a statement for the tests: verb, table, then what it has.
func describe(s Statement) string {
	parts := []string{s.Verb.String()}
	add := func(cond bool, text string) {
		if cond {
			parts = append(parts, text)
		}
	}
	add(s.Table != "", s.Table)
	add(len(s.Columns) > 0, "("+strings.Join(s.Columns, ",")+")")
	add(s.Select, "select")
	add(len(s.Values) > 0, "values "+list(s.Values))
	add(len(s.Set) > 0, "set "+assigns(s.Set))
	add(len(s.Where) > 0, "where "+conds(s.Where))
	add(s.Conflict == Nothing, "do-nothing")
	add(s.Conflict == UpdateBlind, "do-update")
	add(s.Conflict == UpdateWhere, "do-update-where "+conds(s.ConflictWhere))
	add(s.ForUpdate, "+lock")
	add(s.SkipLocked, "+skip")
	add(s.NoWait, "+nowait")
	add(s.Returning, "+returning")
	add(s.Partial, "+partial")
	return strings.Join(parts, " ")
}

func list(values []Value) string {
	var out []string
	for _, v := range values {
		out = append(out, value(v))
	}
	return strings.Join(out, ", ")
}

func value(v Value) string {
	switch v.Kind {
	case NoValue:
		return "-"
	case Placeholder:
		if v.Name != "" {
			return ":" + v.Name
		}
		return "?" + strconv.Itoa(v.Index)
	case Literal:
		return "'" + v.Text + "'"
	case Now:
		return "now"
	case Column:
		if v.Name != "" {
			return v.Name + "." + v.Text
		}
		return v.Text
	case Opaque:
		return "hole"
	}
	return "{" + v.Text + "}"
}

func conds(list []Cond) string {
	var out []string
	for _, c := range list {
		if c.Op == "or" {
			var alternatives []string
			for _, a := range c.Or {
				alternatives = append(alternatives, conds(a))
			}
			out = append(out, "("+strings.Join(alternatives, " | ")+")")
			continue
		}
		s := c.Op
		if c.Column != "" {
			s = c.Column + " " + s
		}
		if c.Value.Kind != NoValue {
			s += " " + value(c.Value)
		}
		out = append(out, s)
	}
	return strings.Join(out, " & ")
}

func assigns(list []Assign) string {
	var out []string
	for _, a := range list {
		s := a.Column + "=" + value(a.Value)
		if a.SelfRef {
			s += "~"
		}
		if a.Settles {
			s += "!"
		}
		if len(a.When) > 0 {
			s += "[" + conds(a.When) + "]"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}
