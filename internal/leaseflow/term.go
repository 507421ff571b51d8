package leaseflow

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// op says how a Term was made.
type op uint8

const (
	opUnknown op = iota // no name; identity only inside the package
	opConst             // Text is the constant
	opParam             // parameter N of the function, the receiver being 0
	opResult            // result N of the function, in summaries only
	opField             // field Text ("Type.name") of Args[0]
	opGlobal            // package variable Text
	opCall              // what function Text returned for Args
	opConcat            // Args joined to one text
	opElem              // an element of Args[0]
)

// A Term names a value in a way that can be compared between functions, and,
// as part of a fact, between packages. Two calls that build their key alike
// have equal terms although no value is shared.
type Term struct {
	Op   op     `json:",omitempty"`
	Text string `json:",omitempty"`
	N    int    `json:",omitempty"`
	Args []Term `json:",omitempty"`

	id any       // identity of an unknown value or a parameter's function; never leaves the package
	v  ssa.Value // the value itself, where there is one
	_  [0]func() // not comparable with ==: use Equal
}

func constTerm(s string) Term { return Term{Op: opConst, Text: s} }

// known reports whether t names anything at all.
func (t Term) known() bool { return t.Op != opUnknown || t.id != nil }

// Equal reports whether t and u are certainly the same value.
func (t Term) Equal(u Term) bool {
	if t.Op != u.Op || t.Text != u.Text || t.N != u.N || t.id != u.id || len(t.Args) != len(u.Args) {
		return false
	}
	if t.Op == opUnknown && t.id == nil {
		return false
	}
	for i := range t.Args {
		if !t.Args[i].Equal(u.Args[i]) {
			return false
		}
	}
	return true
}

// Shape renders t with parameters and unknown values left open, so that the
// key of Lock(name) and that of Unlock(name) have one shape. A field is named
// by its struct type, whichever value of that type it was read from.
func (t Term) Shape() string {
	switch t.Op {
	case opConst:
		return strconv.Quote(t.Text)
	case opParam:
		return "*"
	case opField:
		return t.Text
	case opGlobal:
		return "var " + t.Text
	case opElem:
		return t.Args[0].Shape() + "[]"
	case opCall:
		return t.Text + "(" + shapes(t.Args, ",") + ")"
	case opConcat:
		return shapes(t.Args, "+")
	}
	return "?"
}

// skeleton renders the constant parts of a built text, everything else being
// open: the name of a lock may come from a parameter here and a field there.
// It is "" when the constants say too little.
func (t Term) skeleton() string {
	if t.Op != opConcat {
		return ""
	}
	out, letters := "", 0
	for _, a := range t.Args {
		if a.Op == opConst {
			out += strconv.Quote(a.Text)
			letters += len(strings.Join(split(a.Text), ""))
		} else if !strings.HasSuffix(out, "_") {
			out += "_"
		}
	}
	if letters < 3 {
		return ""
	}
	return out
}

func shapes(args []Term, sep string) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.Shape()
	}
	return strings.Join(parts, sep)
}

// telling reports whether the shape of t says enough to pair two calls by it.
func (t Term) telling() bool {
	switch t.Op {
	case opConst:
		return len(t.Text) > 1
	case opField, opGlobal:
		return true
	case opCall: // of nothing known: any two calls of the function look alike
		return len(t.Args) == 0 || slices.ContainsFunc(t.Args, func(a Term) bool { return a.Op == opParam || a.telling() })
	case opElem:
		return t.Args[0].telling()
	case opConcat:
		return slices.ContainsFunc(t.Args, Term.telling)
	}
	return false
}

// names returns the words that people gave to the value: constants, fields,
// variables and helpers that the term is made of.
func (t Term) names() []string {
	var out []string
	switch t.Op {
	case opConst:
		out = append(out, t.Text)
	case opField, opGlobal, opCall:
		out = append(out, unqualified(t.Text))
	}
	for _, a := range t.Args {
		if t.Op == opField {
			continue // the type of the holder says nothing of the field
		}
		out = append(out, a.names()...)
	}
	return out
}

// unqualified drops package paths from a full name: the path of a client
// library says nothing about what a caller does with it.
func unqualified(full string) string {
	full = strings.TrimLeft(full, "(*")
	full = full[strings.LastIndexByte(full, '/')+1:]
	if _, rest, ok := strings.Cut(full, "."); ok {
		return rest
	}
	return full
}

// constant returns the text of t when all of it is constant.
func (t Term) constant() (string, bool) {
	switch t.Op {
	case opConst:
		return t.Text, true
	case opConcat:
		var b strings.Builder
		for _, a := range t.Args {
			s, ok := a.constant()
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}

// hole stands in a text for the parts that are not constant.
const hole = "\uFFFD"

// text returns the text of t with a hole for each part that is not constant;
// ok is false when nothing of it is.
func (t Term) text() (s string, ok bool) {
	switch t.Op {
	case opConst:
		return t.Text, true
	case opConcat:
		var b strings.Builder
		for _, a := range t.Args {
			s, known := a.text()
			ok = ok || known
			if !known {
				s = hole
			}
			b.WriteString(s)
		}
		return b.String(), ok
	}
	return hole, false
}

func concat(args ...Term) Term {
	var flat []Term
	for _, a := range args {
		switch {
		case a.Op == opConcat:
			flat = append(flat, a.Args...)
		case a.Op == opConst && a.Text == "":
		default:
			flat = append(flat, a)
		}
	}
	merged := flat[:0:0]
	for _, a := range flat {
		if n := len(merged); n > 0 && a.Op == opConst && merged[n-1].Op == opConst {
			merged[n-1] = constTerm(merged[n-1].Text + a.Text)
			continue
		}
		merged = append(merged, a)
	}
	switch len(merged) {
	case 0:
		return constTerm("")
	case 1:
		return merged[0]
	}
	return Term{Op: opConcat, Args: merged}
}

// substitute replaces the parameters and results of a callee by what the call
// gives and gets.
func (t Term) substitute(args func(i int) Term, result func(i int) Term) Term {
	switch t.Op {
	case opParam:
		if t.id != nil { // a parameter of an enclosing function stays
			return t
		}
		return args(t.N)
	case opResult:
		return result(t.N)
	}
	if len(t.Args) == 0 {
		return t
	}
	out := t
	out.Args = make([]Term, len(t.Args))
	for i, a := range t.Args {
		out.Args[i] = a.substitute(args, result)
	}
	if t.Op == opConcat {
		return concat(out.Args...)
	}
	return out
}

// portable returns t as a fact may carry it: parameters of fn become plain
// parameter numbers, and whatever has an identity only here becomes unknown.
// results says which results of fn carry an unknown value.
func (t Term) portable(fn *ssa.Function, results func(v ssa.Value) int) Term {
	if fn.Parent() != nil { // a closure shares the values of the function around it
		if t.Op == opParam && t.id == any(fn) {
			return Term{Op: opParam, N: t.N}
		}
		if len(t.Args) == 0 {
			return t
		}
		out := t
		out.Args = make([]Term, len(t.Args))
		for i, a := range t.Args {
			out.Args[i] = a.portable(fn, results)
		}
		return out
	}
	switch t.Op {
	case opParam:
		if t.id == any(fn) {
			return Term{Op: opParam, N: t.N}
		}
		if i := results(t.v); i >= 0 {
			return Term{Op: opResult, N: i}
		}
		return Term{}
	case opUnknown:
		if i := results(t.v); i >= 0 {
			return Term{Op: opResult, N: i}
		}
		return Term{}
	}
	out := Term{Op: t.Op, Text: t.Text, N: t.N}
	for _, a := range t.Args {
		if t.Op == opField && a.size() > 3 { // a long path: its end says enough, and it must not grow
			out.Args = append(out.Args, Term{})
			continue
		}
		out.Args = append(out.Args, a.portable(fn, results))
	}
	return out
}

// size counts the nodes of t; facts keep small terms only.
func (t Term) size() int {
	n := 1
	for _, a := range t.Args {
		n += a.size()
	}
	return n
}
