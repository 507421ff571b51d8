package leaseflow

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// region is where a lease is held inside one function.
type region struct {
	acquire *event
	held    span
	ends    []*event // explicit releases
	defers  []*event // deferred releases, in the order of registration
	returns []*ssa.Return
	refused []*ssa.BasicBlock // where the flow goes on without the lease
}

// span is a set of instructions: stretches of blocks.
type span map[*ssa.BasicBlock][][2]int

func (s span) add(b *ssa.BasicBlock, from, to int) {
	if from < to {
		s[b] = append(s[b], [2]int{from, to})
	}
}

// has reports whether an instruction is in the set.
func (s span) has(in ssa.Instruction) bool {
	stretches := s[in.Block()]
	if len(stretches) == 0 {
		return false
	}
	i := slices.Index(in.Block().Instrs, in)
	for _, st := range stretches {
		if st[0] <= i && i < st[1] {
			return true
		}
	}
	return false
}

// regionOf follows the flow from the success of an acquire to the release.
func (p *program) regionOf(acq *event, events []*event) *region {
	if acq.region == nil {
		acq.region = p.flow(acq, events)
	}
	return acq.region
}

func (p *program) flow(acq *event, events []*event) *region {
	r := &region{acquire: acq, held: span{}}
	releases := map[ssa.Instruction]*event{}
	for _, e := range events {
		if e.Kind == Release || e.Kind == Write && e.Unsafe {
			if p.ends(acq, e) {
				if e.deferred || e.spawned {
					r.defers = append(r.defers, e)
				} else if e.call != acq.call {
					releases[e.call] = e
				}
			}
		}
	}
	if acq.deferred || acq.spawned {
		return r
	}
	type start struct {
		b *ssa.BasicBlock
		i int
	}
	b := acq.call.Block()
	seen := map[*ssa.BasicBlock]bool{}
	queue := []start{{b, slices.Index(b.Instrs, acq.call.(ssa.Instruction)) + 1}}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		ended := false
		end := len(s.b.Instrs)
		for i, in := range s.b.Instrs[s.i:] {
			if e, ok := releases[in]; ok {
				r.ends = append(r.ends, e)
				ended, end = true, s.i+i
				break
			}
			if in == acq.call.(ssa.Instruction) { // a retry loop takes it anew
				ended, end = true, s.i+i
				break
			}
			if ret, ok := in.(*ssa.Return); ok {
				r.returns = append(r.returns, ret)
			}
		}
		r.held.add(s.b, s.i, end)
		if ended {
			continue
		}
		fail := -1
		if cond, ok := s.b.Instrs[len(s.b.Instrs)-1].(*ssa.If); ok {
			fail = p.failure(cond.Cond, acq)
		}
		for i, succ := range s.b.Succs {
			if i == fail {
				r.refused = append(r.refused, succ)
				continue
			}
			if seen[succ] {
				continue
			}
			seen[succ] = true
			queue = append(queue, start{succ, 0})
		}
	}
	return r
}

// matches reports whether a release may end what an acquire began. A release
// of something that cannot be named ends every lease: silence in doubt.
func matches(a, r *Effect) bool {
	if r.Kind == Release && !r.Key.known() && !r.Handle.known() && len(r.Aliases) == 0 {
		return true
	}
	if otherRecord(a.Key, r.Key) || otherRecord(a.Row, r.Row) {
		return false
	}
	if a.Handle.known() && r.Handle.known() {
		if a.Handle.Equal(r.Handle) || sameShape(a.Handle, r.Handle) {
			return true
		}
	}
	if a.Key.known() && r.Key.known() && (a.Key.Equal(r.Key) || sameShape(a.Key, r.Key)) {
		return true
	}
	for _, s := range a.Aliases {
		if slices.Contains(r.Aliases, s) || s == r.Key.Shape() || s == r.Handle.Shape() {
			return true
		}
	}
	for _, s := range r.Aliases {
		if s == a.Key.Shape() || s == a.Handle.Shape() {
			return true
		}
	}
	// a lock type's own methods: one lease per value
	return r.Kind == Release && a.Store == r.Store && (!a.Key.telling() && !a.Handle.telling() || !r.Key.telling() && !r.Handle.telling())
}

func sameShape(a, b Term) bool {
	if !a.telling() || !b.telling() {
		return false
	}
	return a.Shape() == b.Shape() || a.skeleton() != "" && a.skeleton() == b.skeleton()
}

// failure tells which successor of a branch means that the acquire did not
// take the lease; -1 for none.
func (p *program) failure(cond ssa.Value, acq *event) int {
	return p.sense(cond, func(v ssa.Value) bool { return p.gate(v, acq, 0) }, 0)
}

// sense tells which successor of a branch on cond goes against a verdict:
// error set, bool false, nil handle, zero count.
func (p *program) sense(cond ssa.Value, derived func(ssa.Value) bool, depth int) int {
	if depth > 4 {
		return -1
	}
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			if i := p.sense(c.X, derived, depth+1); i >= 0 {
				return 1 - i
			}
			return -1
		}
	case *ssa.BinOp:
		return p.senseCompare(c, derived)
	case *ssa.Call:
		// errors.Is(err, ErrTaken) and its like: true means refused
		for _, a := range c.Call.Args {
			if isError(a.Type()) && derived(a) {
				if slices.ContainsFunc(c.Call.Args, saysOwn) {
					return 1
				}
				return 0
			}
		}
	case *ssa.Phi: // a condition of several parts
		for _, e := range c.Edges {
			if _, isConst := e.(*ssa.Const); isConst {
				continue
			}
			if i := p.sense(e, derived, depth+1); i >= 0 {
				return i
			}
		}
	}
	if isBool(cond.Type()) && derived(cond) {
		return 1
	}
	return -1
}

func (p *program) senseCompare(c *ssa.BinOp, derived func(ssa.Value) bool) int {
	x, y, op := c.X, c.Y, c.Op
	if _, ok := x.(*ssa.Const); ok {
		x, y = y, x
		switch op {
		case token.LSS:
			op = token.GTR
		case token.GTR:
			op = token.LSS
		case token.LEQ:
			op = token.GEQ
		case token.GEQ:
			op = token.LEQ
		}
	}
	k, ok := y.(*ssa.Const)
	if !ok {
		if op != token.EQL || !isError(x.Type()) || !derived(x) {
			return -1
		}
		if saysOwn(y) {
			return 1
		}
		return 0 // err == ErrTaken
	}
	if !derived(x) {
		return -1
	}
	neg := func(failWhenTrue bool) int {
		if failWhenTrue {
			return 0
		}
		return 1
	}
	switch {
	case k.Value == nil && isError(x.Type()):
		return neg(op == token.NEQ)
	case k.Value == nil: // nil handle, nil channel
		return neg(op == token.EQL)
	case k.Value.Kind() == constant.Bool:
		return neg((op == token.EQL) != constant.BoolVal(k.Value))
	case k.Value.Kind() == constant.Int:
		n, _ := constant.Int64Val(k.Value)
		switch op {
		case token.EQL:
			return neg(n <= 0)
		case token.NEQ:
			return neg(n > 0)
		case token.GTR, token.GEQ:
			return 1
		case token.LSS, token.LEQ:
			return 0
		}
	case k.Value.Kind() == constant.String:
		s := constant.StringVal(k.Value)
		return neg((op == token.EQL) == (s == ""))
	}
	return -1
}

// saysOwn reports whether an error says by its name that the lock is one's own
// already, which is no refusal.
func saysOwn(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	g, ok := load.X.(*ssa.Global)
	if !ok {
		return false
	}
	words := split(g.Name())
	return hasAny(ownWords, words) && !slices.Contains(words, "not")
}

var ownWords = map[string]bool{"own": true, "owned": true, "mine": true}

// gate reports whether v tells whether the acquire worked.
func (p *program) gate(v ssa.Value, acq *event, depth int) bool {
	if v == nil || depth > 10 {
		return false
	}
	known, ok := acq.gated[v]
	if !ok {
		if acq.gated == nil {
			acq.gated = map[ssa.Value]bool{}
		}
		acq.gated[v] = false // ends recursion through loops
		known = p.gates(v, acq, depth)
		acq.gated[v] = known
	}
	return known
}

func (p *program) gates(v ssa.Value, acq *event, depth int) bool {
	switch v := v.(type) {
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok && call == acq.call {
			return len(acq.Gates) == 0 || slices.Contains(acq.Gates, v.Index) || isError(v.Type()) || isBool(v.Type())
		}
		return p.gate(v.Tuple, acq, depth+1)
	case *ssa.Call:
		if v == acq.call {
			return true
		}
		c := p.callee(&v.Call)
		if c.obj == nil {
			return false
		}
		if c.hasRecv && len(c.args) > 0 && c.fn == nil && p.gate(c.args[0], acq, depth+1) { // cmd.Err(), res.RowsAffected()
			return true
		}
		if p.isRow(c, roleUnwrap) || c.obj.Name() == "Join" || c.obj.Name() == "Wrap" || c.obj.Name() == "Wrapf" || c.obj.Name() == "Cause" {
			for _, a := range c.args {
				if p.gate(a, acq, depth+1) {
					return true
				}
				es, _ := p.elements(a)
				for _, e := range es {
					if p.gate(e, acq, depth+1) {
						return true
					}
				}
			}
		}
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return p.gateLoad(v, acq, depth)
		case token.NOT:
			return p.gate(v.X, acq, depth+1)
		}
	case *ssa.Phi:
		for _, e := range v.Edges {
			if p.gate(e, acq, depth+2) {
				return true
			}
		}
	case *ssa.Field:
		return p.gate(v.X, acq, depth+1)
	case *ssa.FieldAddr:
		return p.gate(v.X, acq, depth+1)
	case *ssa.MakeInterface:
		return p.gate(v.X, acq, depth+1)
	case *ssa.ChangeInterface:
		return p.gate(v.X, acq, depth+1)
	case *ssa.ChangeType:
		return p.gate(v.X, acq, depth+1)
	case *ssa.Convert:
		return p.gate(v.X, acq, depth+1)
	case *ssa.TypeAssert:
		return p.gate(v.X, acq, depth+1)
	case *ssa.BinOp:
		if isBool(v.Type()) {
			return p.gate(v.X, acq, depth+1) || p.gate(v.Y, acq, depth+1)
		}
	}
	return false
}

func (p *program) gateLoad(v *ssa.UnOp, acq *event, depth int) bool {
	switch addr := v.X.(type) {
	case *ssa.FieldAddr: // resp.Succeeded
		return p.gate(addr.X, acq, depth+1)
	case *ssa.Alloc:
		if st := lastStore(v, addr); st != nil {
			return p.gate(st, acq, depth+1)
		}
		for _, val := range p.storesTo(addr) {
			if val != nil && p.gate(val, acq, depth+2) {
				return true
			}
		}
		return p.filledBy(addr, acq, depth)
	case *ssa.FreeVar:
		if b, ok := p.binding(addr).(*ssa.Alloc); ok {
			for _, val := range p.storesTo(b) {
				if val != nil && p.gate(val, acq, depth+2) {
					return true
				}
			}
		}
	}
	return false
}

// lastStore returns what was stored last before a load in the same block.
func lastStore(load *ssa.UnOp, addr ssa.Value) ssa.Value {
	var last ssa.Value
	for _, in := range load.Block().Instrs {
		if in == load {
			return last
		}
		if st, ok := in.(*ssa.Store); ok && st.Addr == addr {
			last = st.Val
		}
	}
	return nil
}

// filledBy reports whether a variable is the destination of the acquire's
// answer, as in row.Scan(&ok).
func (p *program) filledBy(addr *ssa.Alloc, acq *event, depth int) bool {
	for _, r := range *addr.Referrers() {
		var users []ssa.Instruction
		switch r := r.(type) {
		case *ssa.MakeInterface:
			users = storesUsers(r)
		case ssa.CallInstruction:
			users = []ssa.Instruction{r}
		}
		for _, u := range users {
			call, ok := u.(*ssa.Call)
			if !ok {
				continue
			}
			c := p.callee(&call.Call)
			if c.hasRecv && len(c.args) > 0 && p.gate(c.args[0], acq, depth+2) {
				return true
			}
		}
	}
	return false
}

// storesUsers finds the calls that get a value through a variadic slice.
func storesUsers(v ssa.Value) []ssa.Instruction {
	var out []ssa.Instruction
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case ssa.CallInstruction:
			out = append(out, r)
		case *ssa.Store:
			ia, ok := r.Addr.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			alloc, ok := ia.X.(*ssa.Alloc)
			if !ok {
				continue
			}
			for _, r := range *alloc.Referrers() {
				if sl, ok := r.(*ssa.Slice); ok {
					for _, r := range *sl.Referrers() {
						if call, ok := r.(ssa.CallInstruction); ok {
							out = append(out, call)
						}
					}
				}
			}
		}
	}
	return out
}

// kept reports whether the lease is meant to run out: the function gives it up
// where it fails and keeps it where it succeeds, so that the same work is not
// done again for a while.
func (r *region) kept() bool {
	if len(r.ends) == 0 || len(r.defers) > 0 {
		return false
	}
	for _, e := range r.ends {
		if !fails(e.call.Block()) {
			return false
		}
	}
	return slices.ContainsFunc(r.returns, succeeds)
}
