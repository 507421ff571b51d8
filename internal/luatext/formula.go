package luatext

// maxFormula bounds the number of atoms that a condition is followed with;
// beyond it nothing is known.
const maxFormula = 64

type formulaOp uint8

const (
	isUnknown formulaOp = iota
	isTrue
	isFalse
	isAtom
	isAnd
	isOr
)

// formula is a condition in negation normal form.
type formula struct {
	op    formulaOp
	guard Guard // of an atom
	sub   []*formula
	size  int
}

func unknown() *formula { return &formula{op: isUnknown, size: 1} }

func constant(b bool) *formula {
	if b {
		return &formula{op: isTrue, size: 1}
	}
	return &formula{op: isFalse, size: 1}
}

func atom(g Guard) *formula { return &formula{op: isAtom, guard: g, size: 1} }

func and(list ...*formula) *formula { return join(isAnd, isTrue, isFalse, list) }

func or(list ...*formula) *formula { return join(isOr, isFalse, isTrue, list) }

// join builds a conjunction or disjunction. Unknown parts stay in it: they
// matter when it is negated.
func join(op, neutral, absorbing formulaOp, list []*formula) *formula {
	f := &formula{op: op, size: 1}
	for _, s := range list {
		switch s.op {
		case neutral:
			continue
		case absorbing:
			return s
		case op:
			f.sub = append(f.sub, s.sub...)
		default:
			f.sub = append(f.sub, s)
		}
		f.size += s.size
	}
	switch {
	case len(f.sub) == 0:
		return &formula{op: neutral, size: 1}
	case len(f.sub) == 1:
		return f.sub[0]
	case f.size > maxFormula:
		return unknown()
	}
	return f
}

var negated = map[string]string{
	"==": "~=", "~=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
	"exists": "notexists", "notexists": "exists", "truthy": "falsy", "falsy": "truthy",
}

func not(f *formula) *formula {
	switch f.op {
	case isTrue:
		return constant(false)
	case isFalse:
		return constant(true)
	case isAtom:
		g := f.guard
		g.Op = negated[g.Op]
		return atom(g)
	case isAnd, isOr:
		n := &formula{op: isAnd + isOr - f.op, size: f.size}
		for _, s := range f.sub {
			n.sub = append(n.sub, not(s))
		}
		return n
	}
	return f
}

// guards returns what the formula proves as a list of conjuncts.
func (f *formula) guards() []Guard {
	switch f.op {
	case isAtom:
		return []Guard{f.guard}
	case isAnd:
		var out []Guard
		for _, s := range f.sub {
			out = append(out, s.guards()...)
		}
		return out
	case isOr:
		g := Guard{Op: "or"}
		known := false
		for _, s := range f.sub {
			switch part := s.guards(); len(part) {
			case 0:
				g.Any = append(g.Any, Guard{Op: "other"})
				continue
			case 1:
				g.Any = append(g.Any, part[0])
			default:
				g.Any = append(g.Any, Guard{Op: "and", Any: part})
			}
			known = true
		}
		if known {
			return []Guard{g}
		}
	}
	return nil
}

// path is the condition under which a point is reached: a list of conjuncts,
// the latest first.
type path struct {
	up *path
	f  *formula
	n  int
}

// maxPath bounds the number of conjuncts; later ones are dropped.
const maxPath = 64

func (p *path) push(f *formula) *path {
	n := 1
	if p != nil {
		n = p.n + 1
	}
	if f.op == isTrue || f.op == isUnknown || n > maxPath {
		return p
	}
	return &path{up: p, f: f, n: n}
}

// since returns the conjuncts that were added after base.
func (p *path) since(base *path) *formula {
	var list []*formula
	for ; p != nil && p != base; p = p.up {
		list = append(list, p.f)
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return and(list...)
}

func (p *path) guards() []Guard {
	if p == nil {
		return nil
	}
	var list []*path
	for q := p; q != nil; q = q.up {
		list = append(list, q)
	}
	var out []Guard
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i].f.guards()...)
	}
	return out
}
