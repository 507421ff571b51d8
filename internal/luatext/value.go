package luatext

import (
	"strconv"
	"strings"
)

const hole = '\uFFFD'

// maxText bounds the text of an Arg, in bytes; a longer one is cut and made
// unlike any other.
const maxText = 200

// value is what is known of a Lua value.
type value struct {
	arg  Arg
	word bool // arg is the literal nil, true or false and no string
	// read is the stored value that this is, or derives from.
	read *read
	cond *formula // when it is true, of a boolean
	alts []alt    // what it is in which case
	fn   *closure
	// items of a table, or of a multiple result.
	items  []value
	fields map[string]value // never changed in place
	multi  bool
	typeOf bool // type(v) of the stored value
	// lib is the name of a library, a library function, or of KEYS or ARGV.
	lib string
}

type alt struct {
	when *formula
	is   value
}

// read is the answer of a command.
type read struct {
	command string
	key     Arg
	field   Arg
	nx      bool  // SET with NX
	keys    []Arg // of an MGET
	fields  []Arg // of an HMGET
	list    bool  // a table of values
	missing Arg   // what stands for it when nothing is stored
}

func opaque(text string) value {
	if text == "" {
		return value{arg: Arg{Kind: Unknown}}
	}
	return value{arg: Arg{Kind: Expr, Text: cut(text)}}
}

func cut(text string) string {
	if len(text) > maxText {
		return text[:maxText] + string(hole)
	}
	return text
}

func literal(text string) value { return value{arg: Arg{Kind: Literal, Text: text}} }

func keyword(text string) value { return value{arg: Arg{Kind: Literal, Text: text}, word: true} }

// show renders the value inside a larger expression.
func (v value) show() string {
	switch v.arg.Kind {
	case Literal:
		if _, err := strconv.Atoi(v.arg.Text); v.word || err == nil {
			return v.arg.Text
		}
		return strconv.Quote(v.arg.Text)
	case NoArg, Unknown:
		return "?"
	}
	return v.arg.Text
}

// element is an element of KEYS or ARGV.
func element(kind ArgKind, index value) value {
	name := "KEYS"
	if kind == Argv {
		name = "ARGV"
	}
	n, err := strconv.Atoi(index.arg.Text)
	if index.arg.Kind != Literal || err != nil || n < 1 {
		return value{arg: Arg{Kind: kind, Text: name + "[" + index.show() + "]"}}
	}
	return value{arg: Arg{Kind: kind, Index: n, Text: name + "[" + strconv.Itoa(n) + "]"}}
}

// derived is a value computed from v that stands for it in a comparison.
func (v value) derived(text string) value {
	if len(v.alts) > 0 {
		out := value{arg: opaque(text).arg}
		for _, a := range v.alts {
			out.alts = append(out.alts, alt{a.when, a.is.derived(text)})
		}
		return out
	}
	out := opaque(text)
	if v.read != nil {
		out.read, out.arg.Kind = v.read, Result
	}
	return out
}

// index is v[key].
func (v value) index(key value) value {
	switch v.lib {
	case "KEYS":
		return element(Keys, key)
	case "ARGV":
		return element(Argv, key)
	case "":
	default:
		return value{lib: v.lib + "." + key.arg.Text}
	}
	n, err := strconv.Atoi(key.arg.Text)
	numbered := key.arg.Kind == Literal && !key.word && err == nil
	if f, ok := v.fields[key.arg.Text]; ok && key.arg.Kind == Literal && !key.word {
		return f
	}
	if v.items != nil && numbered && n >= 1 && n <= len(v.items) {
		return v.items[n-1]
	}
	if len(v.alts) > 0 {
		out := value{arg: Arg{Kind: Unknown}}
		for _, a := range v.alts {
			out.alts = append(out.alts, alt{a.when, a.is.index(key)})
		}
		return out
	}
	if v.read == nil {
		return opaque("")
	}
	r := *v.read
	text := v.show() + "[" + key.show() + "]"
	switch {
	case len(r.keys) > 0 && numbered && n >= 1 && n <= len(r.keys):
		r.key = r.keys[n-1]
	case len(r.keys) > 0 && !numbered:
		r.key = Arg{Kind: r.keys[0].Kind, Text: text}
	case len(r.fields) > 0 && numbered && n >= 1 && n <= len(r.fields):
		r.field = r.fields[n-1]
	case key.arg.Kind == Literal && !numbered && key.arg.Text == "ok": // status reply
		return v
	case key.arg.Kind == Literal && !numbered:
		r.field = key.arg
	}
	r.keys, r.fields, r.list = nil, nil, false
	return value{arg: Arg{Kind: Result, Text: cut(text)}, read: &r}
}

// truth is when v is neither nil nor false.
func (v value) truth() *formula {
	switch {
	case v.cond != nil:
		return v.cond
	case len(v.alts) > 0:
		var list []*formula
		for _, a := range v.alts {
			list = append(list, and(a.when, a.is.truth()))
		}
		return or(list...)
	case v.word:
		return constant(v.arg.Text == "true")
	case v.read != nil:
		return v.read.truth()
	case v.arg.Kind == Literal, v.fn != nil, v.lib == "KEYS", v.lib == "ARGV", v.items != nil, v.fields != nil:
		return constant(true)
	}
	return unknown()
}

// compare is when the comparison of l and r holds.
func compare(op string, l, r value) *formula {
	switch {
	case len(l.alts) > 0 || len(r.alts) > 0:
		split, turned := l.alts, false
		if len(split) == 0 {
			split, turned = r.alts, true
		}
		var list []*formula
		for _, a := range split {
			c := compare(op, a.is, r)
			if turned {
				c = compare(op, l, a.is)
			}
			list = append(list, and(a.when, c))
		}
		return or(list...)
	case l.typeOf || r.typeOf:
		return compareType(op, l, r)
	case l.read != nil:
		return l.read.compare(op, r)
	case r.read != nil:
		return r.read.compare(turn[op], l)
	case l.word && r.cond != nil:
		return compare(op, r, l)
	case l.cond != nil && r.word:
		f := l.cond
		if (r.arg.Text == "true") != (op == "==") {
			f = not(f)
		}
		return f
	case l.arg.Kind == Literal && r.arg.Kind == Literal && (op == "==" || op == "~="):
		if strings.ContainsRune(l.arg.Text+r.arg.Text, hole) {
			return unknown()
		}
		return constant((l.arg == r.arg && l.word == r.word) == (op == "=="))
	}
	return unknown()
}

// compareType compares type(v) with a name.
func compareType(op string, l, r value) *formula {
	if r.typeOf {
		l, r = r, l
	}
	if l.read == nil || r.arg.Kind != Literal || l.read.list || !answers[l.read.command] || op != "==" && op != "~=" {
		return unknown()
	}
	switch r.arg.Text {
	case "string", "number":
		return l.read.present(op == "==")
	case "boolean", "nil":
		return l.read.present(op != "==")
	}
	return unknown()
}

var turn = map[string]string{"==": "==", "~=": "~=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
