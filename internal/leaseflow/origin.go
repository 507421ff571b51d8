package leaseflow

import (
	"go/token"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// origin tells where an owner value comes from.
func (p *program) origin(t Term) Origin { return p.originDepth(t, 0) }

func (p *program) originDepth(t Term, depth int) Origin {
	if depth > 6 {
		return UnknownOrigin
	}
	if t.Op == opConst && t.Text == "nil" && t.N == 1 {
		return UnknownOrigin
	}
	if _, ok := t.constant(); ok {
		return ConstOrigin
	}
	switch t.Op {
	case opConcat:
		return p.mixed(t.Args, depth)
	case opCall:
		if o := p.callOrigin(t.v, depth); o != UnknownOrigin {
			return o
		}
		return p.mixed(t.Args, depth)
	case opField:
		vals := p.fields[t.Text]
		if len(vals) == 0 {
			return UnknownOrigin
		}
		var terms []Term
		for _, v := range vals {
			if v == t.v {
				return UnknownOrigin
			}
			terms = append(terms, p.term(v))
		}
		return p.mixed(terms, depth)
	case opGlobal:
		if g, ok := t.v.(*ssa.UnOp); ok {
			if g, ok := g.X.(*ssa.Global); ok && len(p.globals[g]) == 1 {
				return p.originDepth(p.term(p.globals[g][0]), depth+1)
			}
		}
	case opUnknown:
		return p.callOrigin(t.v, depth)
	}
	return UnknownOrigin
}

// mixed judges a value made of several: one random part makes it random, and
// one part from an unknown place leaves it unknown.
func (p *program) mixed(terms []Term, depth int) Origin {
	out := ConstOrigin
	for _, t := range terms {
		o := p.originDepth(t, depth+1)
		if o == UnknownOrigin && p.counted(t) {
			o = ConstOrigin
		}
		switch o {
		case RandomOrigin:
			return RandomOrigin
		case UnknownOrigin:
			out = UnknownOrigin
		case HostOrigin, TimeOrigin:
			if out != UnknownOrigin {
				out = o
			}
		}
	}
	return out
}

// counted reports an integer that numbers what one process starts, so that it
// is the same again at the next attempt: what every caller of a function in this
// package gives as a constant or takes from a loop.
func (p *program) counted(t Term) bool {
	param, ok := t.v.(*ssa.Parameter)
	if !ok || t.Op != opParam || !isInteger(param.Type()) {
		return false
	}
	calls := p.callers[param.Parent()]
	for _, call := range calls {
		c := p.callee(call.Common())
		if t.N >= len(c.args) {
			return false
		}
		switch a := c.args[t.N].(type) {
		case *ssa.Const:
		case *ssa.Phi:
			if !counter(a) {
				return false
			}
		default:
			return false
		}
	}
	return len(calls) > 0
}

// counter reports a loop variable that begins with a constant and is counted up.
func counter(v *ssa.Phi) bool {
	for _, e := range v.Edges {
		switch e := e.(type) {
		case *ssa.Const:
		case *ssa.BinOp:
			if e.Op != token.ADD || e.X != ssa.Value(v) || !isConst(e.Y) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (p *program) callOrigin(v ssa.Value, depth int) Origin {
	index := 0
	if e, ok := v.(*ssa.Extract); ok {
		v, index = e.Tuple, e.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return UnknownOrigin
	}
	c := p.callee(&call.Call)
	if c.fn != nil {
		return p.returnedOrigin(c.fn, index, depth)
	}
	if row := p.rowWith(c, models.RandomID, models.Clock, models.ClockToken, models.OwnerID); row != nil {
		switch {
		case row.Store == "file": // the os package: host name, pid
			return HostOrigin
		case row.Role == models.RandomID:
			return RandomOrigin
		case row.Role == models.OwnerID:
			return UnknownOrigin
		}
		return TimeOrigin
	}
	switch c.name() {
	case "os.Getpid", "os.Hostname", "os.Getenv", "(*os/user.User).Name", "os/user.Current":
		return HostOrigin
	case "fmt.Sprintf", "fmt.Sprint", "strconv.Itoa", "strconv.FormatInt":
		var terms []Term
		for _, a := range c.args {
			if es, ok := p.elements(a); ok {
				for _, e := range es {
					terms = append(terms, p.term(e))
				}
				continue
			}
			terms = append(terms, p.term(a))
		}
		return p.mixed(terms, max(depth+1, 3))
	}
	switch { // its body is elsewhere
	case c.obj == nil:
	case hasAny(randomWords, split(c.obj.Name())):
		return RandomOrigin
	case len(c.args) == 0 && isInteger(call.Type()) && (hasAny(nowWords, split(c.obj.Name())) || c.obj.Pkg() != nil && hasAny(nowWords, split(c.obj.Pkg().Name()))):
		return TimeOrigin
	}
	return UnknownOrigin
}

// randomWords are in the names of functions that make up an id.
var randomWords = map[string]bool{"random": true, "rand": true, "uuid": true, "guid": true, "ulid": true, "ksuid": true, "nanoid": true}

// returnedOrigin judges what a function of this package returns.
func (p *program) returnedOrigin(fn *ssa.Function, i, depth int) Origin {
	out := UnknownOrigin
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || i >= len(ret.Results) {
			continue
		}
		if o := p.originDepth(p.term(ret.Results[i]), depth+2); o == RandomOrigin || out == UnknownOrigin {
			out = o
		}
	}
	return out
}
