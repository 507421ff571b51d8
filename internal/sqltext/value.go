package sqltext

import "strings"

// maxColumns bounds the columns that are listed for one condition or value.
const maxColumns = 100

// maxText bounds the source text that a Value keeps, in bytes.
const maxText = 200

// column returns the one column that the value is made of, or "".
func (v Value) column() string {
	switch v.Kind {
	case Column:
		return v.Text
	case Expr, Now:
		if len(v.Columns) == 1 {
			return v.Columns[0]
		}
	}
	return ""
}

var clocks = map[string]bool{
	"now": true, "current_timestamp": true, "clock_timestamp": true, "statement_timestamp": true, "transaction_timestamp": true,
	"localtimestamp": true, "utc_timestamp": true, "sysdate": true, "getdate": true, "getutcdate": true, "sysutcdatetime": true,
	"sysdatetime": true, "current_date": true, "curdate": true, "unix_timestamp": true, "unixepoch": true, "localtime": true,
	"current_time": true, "utc_date": true, "utc_time": true, "systimestamp": true, "totimestamp": true,
}

// sqliteClocks read the clock when they are called with 'now' or without arguments.
var sqliteClocks = map[string]bool{"datetime": true, "strftime": true, "julianday": true, "date": true, "time": true}

// value reads the operand in [lo, hi).
func (p *parser) value(lo, hi, depth int) Value {
	lo, hi = p.unwrap(lo, hi)
	hi = p.find(lo, hi, func(i int) bool { // what a hole adds to an operand is no part of it
		return i > lo && p.tokens[i].kind == holeToken && p.tokens[i-1].endsOperand()
	})
	hi = p.uncast(lo, hi)
	if as := p.findWord(lo, hi, "as"); as > lo && as < hi { // select list alias
		hi = as
	}
	if lo >= hi || depth > maxDepth+2 {
		return Value{}
	}
	if p.is(lo, "cast") && p.closing(lo+1, hi) == hi-1 {
		return p.value(lo+2, p.findWord(lo+2, hi-1, "as"), depth+1)
	}
	if inner, innerHi := p.unwrap(lo, hi); inner != lo {
		return p.value(inner, innerHi, depth+1)
	}
	if v, ok := p.simple(lo, hi); ok {
		return v
	}
	v := Value{Kind: Expr, Columns: p.columns(lo, hi), Text: p.text(lo, hi)}
	for i := lo; i < hi; i++ {
		t := p.tokens[i]
		switch {
		case t.kind == placeholderToken && v.Index == 0 && v.Name == "":
			v.Index, v.Name = t.index, t.name
		case t.kind == wordToken && len(v.Columns) == 0 && p.clock(i, hi):
			v.Kind = Now
		}
	}
	return v
}

// clock reports whether the word at i reads the clock of the store.
func (p *parser) clock(i, hi int) bool {
	word := p.tokens[i].text
	if clocks[word] {
		return true
	}
	m := p.closing(i+1, hi)
	if !sqliteClocks[word] || m < 0 {
		return false
	}
	for _, t := range p.tokens[i+2 : m] {
		if t.kind == stringToken && strings.EqualFold(t.text, "now") {
			return true
		}
	}
	return m == i+2
}

// uncast cuts a trailing ::type and COLLATE off.
func (p *parser) uncast(lo, hi int) int {
	end := p.find(lo, hi, func(i int) bool { return p.isSymbol(i, "::") || p.is(i, "collate") && i > lo })
	if end == hi {
		return hi
	}
	for i := end; i < hi; i = p.skip(i, hi) { // only when nothing but types follows
		t := p.tokens[i]
		if t.kind == symbolToken && strings.IndexByte("+-*/|<>=", t.text[0]) >= 0 && !t.isSymbol("::") {
			return hi
		}
		if t.is("at") || t.kind == placeholderToken {
			return hi
		}
	}
	return end
}

// simple reads what is neither call nor arithmetic.
func (p *parser) simple(lo, hi int) (Value, bool) {
	t := p.tokens[lo]
	if hi-lo == 2 && (t.isSymbol("-") || t.isSymbol("+")) && p.tokens[lo+1].kind == numberToken {
		return Value{Kind: Literal, Text: t.text + p.tokens[lo+1].text}, true
	}
	if hi-lo == 2 && p.tokens[lo+1].kind == stringToken && t.kind == wordToken { // DATE '...'
		return Value{Kind: Literal, Text: p.tokens[lo+1].text}, true
	}
	if hi-lo == 1 {
		switch t.kind {
		case placeholderToken:
			return Value{Kind: Placeholder, Index: t.index, Name: t.name}, true
		case stringToken, numberToken:
			return Value{Kind: Literal, Text: t.text}, true
		case holeToken:
			return Value{Kind: Opaque, Text: t.text}, true
		case wordToken:
			switch t.text {
			case "null", "true", "false", "default":
				return Value{Kind: Literal, Text: t.text}, true
			}
			if clocks[t.text] {
				return Value{Kind: Now, Text: t.text}, true
			}
		}
	}
	if name, ok := p.sqlcArg(lo, hi); ok {
		return Value{Kind: Placeholder, Name: name}, true
	}
	if m := p.closing(lo+1, hi); p.is(lo, "values") && m == hi-1 { // VALUES(c) of MySQL
		if name, _, next := p.name(lo+2, m); next == m {
			return Value{Kind: Column, Name: "excluded", Text: name, Columns: []string{name}}, true
		}
	}
	name, qualifier, next := p.name(lo, hi)
	if next == hi && !(next == lo+1 && t.kind == wordToken && reserved[t.text]) {
		if name == "" {
			return Value{Kind: Opaque, Text: p.text(lo, hi)}, true
		}
		return Value{Kind: Column, Name: qualifier, Text: name, Columns: []string{name}}, true
	}
	return Value{}, false
}

// sqlcArg reads sqlc.arg(name), sqlc.narg('name') and sqlc.slice(name).
func (p *parser) sqlcArg(lo, hi int) (string, bool) {
	if p.is(lo, "sqlc") && p.isSymbol(lo+1, ".") && p.closing(lo+3, hi) == hi-1 && hi-lo == 6 {
		return p.tokens[lo+4].text, true
	}
	return "", false
}

// columns lists the columns named in [lo, hi) outside subqueries, each once.
func (p *parser) columns(lo, hi int) []string {
	var out []string
	for i := lo; i < hi && len(out) < maxColumns; {
		if m := p.closing(i, hi); m >= 0 && p.query(i+1) {
			i = m + 1
			continue
		}
		t := p.tokens[i]
		switch {
		case t.is("interval"): // INTERVAL 5 MINUTE
			i += 2
			if i < hi && p.tokens[i].kind == wordToken && units[p.tokens[i].text] {
				i++
			}
			continue
		case t.isSymbol("::"), t.is("as"), t.is("collate"): // a type or collation follows
			i++
			_, _, next := p.name(i, hi)
			i = max(next, i)
			continue
		case t.kind == wordToken && unitFirst[t.text] && p.isSymbol(i+1, "("):
			i += 2
			if i < hi && p.tokens[i].kind == wordToken && units[p.tokens[i].text] {
				i++
			}
			continue
		}
		name, qualifier, next := p.name(i, hi)
		if next == i {
			i++
			continue
		}
		call := next < hi && (p.isSymbol(next, "(") || p.isSymbol(next, "=>"))
		keyword := next == i+1 && t.kind == wordToken && (reserved[t.text] || clocks[t.text])
		if !call && !keyword && name != "" && !(qualifier == "sqlc") && !contains(out, name) {
			out = append(out, name)
		}
		i = next
	}
	return out
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// text renders the tokens [lo, hi), shortened.
func (p *parser) text(lo, hi int) string {
	var b strings.Builder
	for i := lo; i < hi && b.Len() < maxText; i++ {
		t := p.tokens[i]
		if i > lo && !t.glued {
			b.WriteByte(' ')
		}
		switch t.kind {
		case stringToken:
			b.WriteString("'" + t.text[:min(len(t.text), maxText)] + "'")
		case placeholderToken:
			b.WriteByte('?')
			b.WriteString(t.name)
		default:
			b.WriteString(t.text)
		}
	}
	return b.String()
}
