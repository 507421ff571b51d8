package leaseflow

import (
	"go/token"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// A Premise is a condition on a parameter, or on a field of a struct that is
// passed by value, without which an effect does not happen: a function does one
// thing for create and another for update, and a caller that passes the
// constant does one of them only.
type Premise struct {
	Of    Term   // the parameter, or its field
	Op    string // how it compares to Value: == != < <= > >=
	Value Term   // a constant
}

// maxPremises bounds how many premises of one effect are kept.
const maxPremises = 6

func (q Premise) String() string {
	return strconv.Itoa(q.param().N) + unqualified(q.Of.Text) + q.Op + q.Value.Text
}

// param is the parameter that the premise is about.
func (q Premise) param() Term {
	if q.Of.Op == opField {
		return q.Of.Args[0]
	}
	return q.Of
}

func (q Premise) equal(o Premise) bool {
	return q.Of.Equal(o.Of) && q.Op == o.Op && q.Value.Equal(o.Value)
}

// Comparisons with their opposites, and with their sides exchanged.
var (
	opposite = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
	mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
)

// negated is the other side of a branch on q.
func (q Premise) negated() Premise {
	q.Op = opposite[q.Op]
	return q
}

// nilTerm is what evalConst says of nil.
var nilTerm = Term{Op: opConst, Text: "nil", N: 1}

// holds tells whether a value meets the premise.
func (q Premise) holds(v ssa.Value) tri {
	if mi, ok := v.(*ssa.MakeInterface); ok && !q.Value.Equal(nilTerm) {
		v = mi.X
	}
	if c, ok := v.(*ssa.Const); ok {
		return q.holdsFor(evalConst(c))
	}
	if q.Value.Equal(nilTerm) && neverNil(v) {
		return triOf(q.Op == "!=")
	}
	return maybe
}

// holdsFor tells whether a constant meets the premise.
func (q Premise) holdsFor(c Term) tri {
	x, err := strconv.ParseInt(c.Text, 10, 64)
	y, err2 := strconv.ParseInt(q.Value.Text, 10, 64)
	numbers := err == nil && err2 == nil
	switch {
	case q.Op == "==":
		return triOf(c.Equal(q.Value))
	case q.Op == "!=":
		return triOf(!c.Equal(q.Value))
	case numbers && q.Op == "<":
		return triOf(x < y)
	case numbers && q.Op == "<=":
		return triOf(x <= y)
	case numbers && q.Op == ">":
		return triOf(x > y)
	case numbers && q.Op == ">=":
		return triOf(x >= y)
	}
	return maybe
}

// contradicts reports whether two premises on one parameter cannot both hold.
func (q Premise) contradicts(o Premise) bool {
	if !q.Of.Equal(o.Of) {
		return false
	}
	return o.Op == "==" && q.holdsFor(o.Value) == no || q.Op == "==" && o.holdsFor(q.Value) == no
}

func triOf(b bool) tri {
	if b {
		return yes
	}
	return no
}

// neverNil reports a value that is made where it stands.
func neverNil(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Function, *ssa.MakeClosure, *ssa.MakeInterface, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.Global:
		return true
	}
	return false
}

// commonPremises returns what holds on each of two ways to one effect.
func commonPremises(a, b []Premise) []Premise {
	var out []Premise
	for _, q := range a {
		if slices.ContainsFunc(b, q.equal) {
			out = append(out, q)
		}
	}
	return out
}

// samePremises reports whether two effects happen under the same premises.
func samePremises(a, b []Premise) bool {
	return len(a) == len(b) && len(commonPremises(a, b)) == len(a)
}

// isReceiver reports whether t is the receiver of a method.
func isReceiver(t Term) bool {
	of, ok := t.id.(*ssa.Function)
	return ok && t.N == 0 && of.Signature.Recv() != nil
}

// withPremises judges the premises of an effect by the arguments of a call: it
// reports false if one is not met, and keeps those that hang on a parameter of
// the function that makes the call.
func (p *program) withPremises(e *Effect, call ssa.CallInstruction, args []ssa.Value) bool {
	given := e.Only
	e.Only = nil
	here := p.premisesAt(call)
	for _, q := range given {
		if q.param().id == nil { // of the callee
			v := p.argument(q, call, args)
			if v == nil {
				continue
			}
			switch q.holds(v) {
			case yes:
				continue
			case no:
				return false
			}
			var ok bool
			if q.Of, ok = p.given(v); !ok {
				continue
			}
		}
		if slices.ContainsFunc(here, q.contradicts) {
			return false
		}
		e.Only = append(e.Only, q)
	}
	return true
}

// premisesOf lists what must hold for an effect: where its call stands, and
// what the callee asks for.
func (p *program) premisesOf(e *event) []Premise {
	if e.call == nil {
		return nil
	}
	var out []Premise
	for _, q := range slices.Concat(e.Only, p.premisesAt(e.call)) {
		q.Of = q.Of.portable(e.fn, func(ssa.Value) int { return -1 })
		if q.param().Op == opParam && !slices.ContainsFunc(out, q.equal) && len(out) < maxPremises {
			out = append(out, q)
		}
	}
	return out
}

// premisesAt lists the conditions on parameters under which an instruction
// runs: branches taken on the way to it, and pointers followed, which would
// have panicked if they were nil.
func (p *program) premisesAt(in ssa.Instruction) []Premise {
	return p.followed(p.entering(in.Block()), in.Block(), in)
}

// entering lists the conditions on parameters under which a block runs.
func (p *program) entering(b *ssa.BasicBlock) []Premise {
	if out, ok := p.premises[b]; ok {
		return out
	}
	var out []Premise
	if d := b.Idom(); d != nil {
		out = p.followed(p.entering(d), d, nil)
		if cond, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If); ok && d.Succs[0] != d.Succs[1] && len(b.Preds) == 1 && b.Preds[0] == d {
			if q, ok := p.premise(cond.Cond); ok {
				if b == d.Succs[1] {
					q = q.negated()
				}
				out = append(out, q)
			}
		}
	}
	p.premises[b] = slices.Clip(out)
	return p.premises[b]
}

// premise reads a condition that compares a parameter to a constant.
func (p *program) premise(cond ssa.Value) (Premise, bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			q, ok := p.premise(c.X)
			return q.negated(), ok
		}
	case *ssa.BinOp:
		x, y, op := c.X, c.Y, c.Op.String()
		if _, ok := x.(*ssa.Const); ok {
			x, y, op = y, x, mirrored[op]
		}
		k, ok := y.(*ssa.Const)
		if !ok || opposite[op] == "" {
			return Premise{}, false
		}
		of, ok := p.given(x)
		q := Premise{Of: of, Op: op, Value: evalConst(k)}
		return q, ok && len(q.Value.Text) <= 32
	}
	of, ok := p.given(cond)
	return Premise{Of: of, Op: "==", Value: constTerm("true")}, ok && isBool(cond.Type())
}

// followed adds to what holds the parameters, other than the receiver, that a
// block dereferences before in: they are not nil there.
func (p *program) followed(out []Premise, b *ssa.BasicBlock, in ssa.Instruction) []Premise {
	for _, i := range b.Instrs {
		if i == in {
			break
		}
		var ptr ssa.Value
		switch i := i.(type) {
		case *ssa.FieldAddr:
			ptr = i.X
		case *ssa.UnOp:
			if i.Op == token.MUL {
				ptr = i.X
			}
		}
		switch ptr.(type) {
		case nil, *ssa.Alloc, *ssa.FreeVar, *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr: // the place of a variable
			continue
		}
		t, ok := p.given(ptr)
		if !ok || isReceiver(t) {
			continue
		}
		if q := (Premise{Of: t, Op: "!=", Value: nilTerm}); !slices.ContainsFunc(out, q.equal) {
			out = append(out, q)
		}
	}
	return out
}
