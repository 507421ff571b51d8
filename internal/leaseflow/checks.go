package leaseflow

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// verdict is a decision made here about still holding a lease.
type verdict struct {
	effect  Effect
	fn      *ssa.Function
	pos     token.Pos
	derived func(ssa.Value) bool // values that carry it
	clock   clockSays            // which way a comparison with the clock goes
	over    bool                 // it decides because the lease is over
	result  int                  // result of fn that carries it; -1 for none
	event   *event               // the call that asks, if it is one
	record  Term                 // the lock record that was read
}

// verdicts returns every decision about ownership in fn: calls of checks, and
// comparisons made by hand.
func (p *program) verdicts(fn *ssa.Function, evs []*event) []*verdict {
	var out []*verdict
	for _, e := range evs {
		if e.Kind == Read && e.Guard >= OwnerGuard && !e.Tx && (e.Guard == Fenced || p.readsLease(e, evs)) { // SELECT ... WHERE epoch = ?, then a write without it
			e := e
			out = append(out, &verdict{effect: e.Effect, fn: fn, pos: e.pos(), event: e, result: -1, record: e.Key,
				derived: func(v ssa.Value) bool { return p.carries(v, e, 0) }})
			out[len(out)-1].effect.Check = TokenCompare
			continue
		}
		if e.Kind != Check || e.deferred || e.spawned {
			continue
		}
		if e.Candidate && !p.checkOfLease(e, evs) {
			continue
		}
		e := e
		out = append(out, &verdict{effect: e.Effect, fn: fn, pos: e.pos(), event: e, result: -1, record: e.Key,
			derived: func(v ssa.Value) bool { return p.carries(v, e, 0) }})
	}
	return append(out, p.homeChecks(fn, evs)...)
}

// readsLease reports whether a read is of a lock record, or made while a lease
// is held: a token in any other row is a password or a version of the data.
func (p *program) readsLease(e *event, evs []*event) bool {
	return p.isLockRecord(e.Key) || p.inHeldRegion(e, evs) || len(p.heldEntry[e.fn]) > 0
}

// carries reports whether v carries the verdict of a check call.
func (p *program) carries(v ssa.Value, e *event, depth int) bool {
	if depth > 8 || v == nil {
		return false
	}
	if p.gate(v, e, depth) {
		return true
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		return p.carries(v.X, e, depth+2) || p.carries(v.Y, e, depth+2)
	case *ssa.Call:
		c := p.callee(&v.Call)
		if p.isRow(c, models.Clock) {
			for _, a := range c.args {
				if p.carries(a, e, depth+2) {
					return true
				}
			}
		}
	case *ssa.UnOp:
		if v.Op == token.NOT || v.Op == token.ARROW {
			return p.carries(v.X, e, depth+1)
		}
	case *ssa.Phi:
		for _, x := range v.Edges {
			if p.carries(x, e, depth+3) {
				return true
			}
		}
	}
	return false
}

// checkOfLease reports whether a check that may be of anything (EXISTS, TTL, a
// context's Err) is one of a lease.
func (p *program) checkOfLease(e *event, evs []*event) bool {
	if e.Check == LostSignal { // of a context: only one that an acquire returned
		if e.Handle.v == nil {
			return false
		}
		for _, a := range evs {
			if a.Kind == Acquire {
				if call, ok := a.call.(*ssa.Call); ok && p.comesFrom(e.Handle.v, call) {
					return true
				}
			}
		}
		return false
	}
	if e.Check == ExtendCheck { // of what may be no lock: only beside one
		return p.hasLeases
	}
	return p.ownWords(e.Key)
}

// homeChecks finds the decisions that fn makes by hand.
func (p *program) homeChecks(fn *ssa.Function, evs []*event) []*verdict {
	var out []*verdict
	add := func(kind CheckKind, at ssa.Instruction, carrier ssa.Value, api string, clock clockSays, record Term) {
		pos := at.Pos()
		if !pos.IsValid() {
			pos = fn.Pos()
		}
		v := &verdict{fn: fn, pos: pos, clock: clock, record: record, result: -1,
			effect:  Effect{Kind: Check, Check: kind, API: api, At: p.position(pos), Within: shortName(fn), Verdict: -1, Func: -1, Key: record},
			derived: func(x ssa.Value) bool { return p.reaches(carrier, x) }}
		v.result = p.carriedResult(fn, v, evs)
		out = append(out, v)
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.BinOp:
				if !p.numericClock(in, evs, add) {
					p.compare(in, in.X, in.Y, evs, add)
				}
			case *ssa.Call:
				p.clockCheck(in, evs, add)
				c := p.callee(&in.Call)
				switch c.name() {
				case "bytes.Equal", "strings.EqualFold", "bytes.Compare", "strings.Compare", "crypto/subtle.ConstantTimeCompare":
					p.compare(in, c.args[0], c.args[1], evs, add)
				}
				if isFlagLoad(p, c) {
					add(OwnerCheck, in, in, flagName(p, c), unsaid, Term{})
				}
				p.namedCheck(in, c, add)
			case *ssa.UnOp:
				if in.Op == token.MUL && isBool(in.Type()) {
					if fa, ok := in.X.(*ssa.FieldAddr); ok {
						name := unqualified(fieldName(fa.X.Type(), fa.Field))
						if p.isLeaderFlag(fieldName(fa.X.Type(), fa.Field)) {
							add(OwnerCheck, in, in, name, unsaid, Term{})
						}
					}
				}
			case *ssa.Select:
				if !in.Blocking {
					for _, st := range in.States {
						if st.Dir == types.RecvOnly && p.isLostChannel(st.Chan, evs) {
							add(LostSignal, in, in, "select", unsaid, Term{})
						}
					}
				}
			}
		}
	}
	return out
}

// reaches reports whether x carries the bool or error that carrier decided.
func (p *program) reaches(carrier, x ssa.Value) bool {
	switch x.(type) {
	case *ssa.UnOp, *ssa.Phi, *ssa.BinOp, *ssa.Extract:
		return p.reachesFrom(carrier, x, 0, map[ssa.Value]int{})
	}
	return x == carrier
}

// reachesFrom is reaches, for a value that was come to by way of others; seen keeps
// on which of the shortest ways each was met, so that none is followed twice.
func (p *program) reachesFrom(carrier, x ssa.Value, depth int, seen map[ssa.Value]int) bool {
	if x == carrier {
		return true
	}
	if depth > 8 || x == nil {
		return false
	}
	if met, ok := seen[x]; ok && met <= depth {
		return false
	}
	seen[x] = depth
	one := func(vals []ssa.Value) bool {
		return slices.ContainsFunc(vals, func(v ssa.Value) bool { return p.reachesFrom(carrier, v, depth+2, seen) })
	}
	switch x := x.(type) {
	case *ssa.UnOp:
		switch x.Op {
		case token.NOT:
			return p.reachesFrom(carrier, x.X, depth+1, seen)
		case token.MUL:
			switch a := x.X.(type) {
			case *ssa.Alloc:
				return one(p.storesTo(a))
			case *ssa.FreeVar:
				if b, ok := p.binding(a).(*ssa.Alloc); ok {
					return one(p.storesTo(b))
				}
			}
		}
	case *ssa.Phi:
		return one(x.Edges)
	case *ssa.BinOp:
		return isBool(x.Type()) && (p.reachesFrom(carrier, x.X, depth+1, seen) || p.reachesFrom(carrier, x.Y, depth+1, seen))
	case *ssa.Extract:
		return p.reachesFrom(carrier, x.Tuple, depth+1, seen)
	}
	return false
}

type addCheck func(kind CheckKind, at ssa.Instruction, carrier ssa.Value, api string, clock clockSays, record Term)

// compare recognises value == mine where value was read from a lock record,
// and number == token.
func (p *program) compare(in ssa.Value, x, y ssa.Value, evs []*event, add addCheck) {
	if b, ok := in.(*ssa.BinOp); ok {
		switch b.Op {
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
		default:
			return
		}
	}
	for range 2 {
		x, y = y, x
		if _, isConst := y.(*ssa.Const); isConst || isError(x.Type()) {
			continue
		}
		if _, isConst := x.(*ssa.Const); isConst || isLength(x) {
			continue
		}
		for _, r := range p.readsBehind(x, evs) {
			if r.Tx { // the row stays locked while the transaction goes on
				continue
			}
			numeric := isNumeric(x.Type())
			if !r.Lock && !r.Key.known() || !r.Lock && !p.isLockRecord(r.Key) && !(numeric && hasAny(epochWords, p.keyWords(r.Key))) {
				continue
			}
			if len(p.readsBehind(y, evs)) > 0 {
				continue
			}
			kind := OwnerCheck
			switch {
			case numeric && p.tellsTime(y): // what was read is when it ends
				kind = ClockCheck
			case numeric:
				kind = TokenCompare
			}
			add(kind, in.(ssa.Instruction), in, r.API, unsaid, r.Key)
			return
		}
	}
}

// isLength reports how many there are of something, which is nobody's token.
func isLength(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && (b.Name() == "len" || b.Name() == "cap")
}

// epochWords name the record that counts the ownerships of something.
var epochWords = map[string]bool{"epoch": true, "epochs": true, "fence": true, "fencing": true}

func isNumeric(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

// isLockRecord reports whether a key names a lock record: by its words, or
// because this package takes a lock there.
func (p *program) isLockRecord(key Term) bool {
	if p.ownWords(key) {
		return true
	}
	shape := key.Shape()
	for _, a := range p.lockKeys {
		if key.telling() && a.Shape() == shape || a.Equal(key) {
			return true
		}
	}
	return slices.Contains(p.lockAliases, shape)
}

var timeWords = map[string]bool{"expires": true, "expire": true, "expiry": true, "expiration": true, "expired": true, "exp": true, "until": true, "at": true, "on": true, "valid": true,
	"deadline": true, "ttl": true, "last": true, "time": true, "timestamp": true, "ts": true, "end": true, "ends": true, "renew": true, "renewal": true, "next": true, "since": true, "held": true}

// beatWords name the time of a holder's last sign of life.
var beatWords = map[string]bool{"beat": true, "heartbeat": true, "ping": true, "alive": true, "refreshed": true, "touched": true, "seen": true,
	"updated": true, "modified": true, "renewed": true, "acquired": true, "created": true}

func hasAny(set map[string]bool, words []string) bool {
	for _, w := range words {
		if set[w] {
			return true
		}
	}
	return false
}

// isLostChannel reports whether a channel closes when the lease is lost.
func (p *program) isLostChannel(ch ssa.Value, evs []*event) bool {
	for range 5 {
		switch x := ch.(type) {
		case *ssa.ChangeType:
			ch = x.X
			continue
		case *ssa.UnOp:
			switch a := x.X.(type) {
			case *ssa.Alloc:
				ch = onlyStore(p.storesTo(a))
				continue
			case *ssa.FieldAddr:
				return p.leaseFields[fieldName(a.X.Type(), a.Field)]
			}
		case *ssa.Extract:
			ch = x.Tuple
			continue
		case *ssa.Call:
			for _, e := range evs {
				if e.call == ssa.CallInstruction(x) && (e.Kind == Check && e.Check == LostSignal && !e.Candidate || e.Kind == Acquire) {
					return true
				}
			}
			if row := p.rowWith(p.callee(&x.Call), models.Check); row != nil && len(row.Subject["lost"]) > 0 {
				return true
			}
		}
		return false
	}
	return false
}

// verdictResult returns the result of fn that carries the verdict of a check
// call, -1 for none.
func (p *program) verdictResult(fn *ssa.Function, e *event) int {
	if e.deferred || e.spawned || e.Candidate && !p.checkOfLease(e, nil) {
		return -1
	}
	v := &verdict{effect: e.Effect, fn: fn, event: e, derived: func(x ssa.Value) bool { return p.carries(x, e, 0) }}
	return p.carriedResult(fn, v, nil)
}

// carriedResult returns the result of fn that carries a verdict: it derives
// from it, or fn is a predicate whose branches on it return different answers.
func (p *program) carriedResult(fn *ssa.Function, v *verdict, evs []*event) int {
	res := fn.Signature.Results()
	var rets []*ssa.Return
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			rets = append(rets, ret)
		}
	}
	for i := range res.Len() {
		if t := res.At(i).Type(); !isBool(t) && !isError(t) && v.effect.Check != TTLRemaining {
			continue
		}
		for _, ret := range rets {
			if i < len(ret.Results) && v.derived(ret.Results[i]) {
				return i
			}
		}
	}
	// a predicate: it answers and, unless it refuses, does nothing else
	for _, e := range evs {
		if (e.Kind == Write || e.Kind == Acquire || e.Kind == RunBody) && !refuses(e.call.Block()) {
			return -1
		}
	}
	if len(rets) < 2 || len(rets) > 8 {
		return -1
	}
	branches := false
	for _, b := range fn.Blocks {
		if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && (v.derived(cond.Cond) || selectIndex(cond.Cond, v)) {
			branches = true
		}
	}
	if !branches {
		return -1
	}
	for i := range res.Len() {
		if t := res.At(i).Type(); isBool(t) || isError(t) {
			return i
		}
	}
	return -1
}

// selectIndex reports whether a condition tests which case of a select ran.
func selectIndex(cond ssa.Value, v *verdict) bool {
	b, ok := cond.(*ssa.BinOp)
	return ok && (v.derived(b.X) || v.derived(b.Y))
}

// controlling returns the verdict that decides whether the call of e runs, the
// nearest one, and the branch instruction.
func (p *program) controlling(e *event, vs []*verdict) *verdict {
	b := e.call.Block()
	var refused []*verdict // that said no on the way
	for d := b; d != nil; d = d.Idom() {
		if d == b {
			continue
		}
		cond, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		side := -1
		for i, s := range d.Succs {
			if s == b || s.Dominates(b) {
				if len(s.Preds) == 1 || onlyWay(d, i, b) {
					side = i
				}
			}
		}
		if side < 0 {
			continue
		}
		var found *verdict
		for _, v := range vs {
			if v.event != nil && v.event.call == e.call || found != nil && v.effect.Check != TokenCompare {
				continue // of several answers in one, that on the token says most
			}
			if !v.derived(cond.Cond) && !selectIndex(cond.Cond, v) {
				continue
			}
			if v.effect.Check != ClockCheck && v.effect.Check != LostSignal {
				if lose := p.sense(cond.Cond, v.derived, 0); lose == side {
					refused = append(refused, v)
					continue // the branch of those who do not hold it
				}
			}
			if slices.Contains(refused, v) && !v.asksForAnyone() {
				continue // that it could be asked is no yes
			}
			found = v
			if lose := p.sense(cond.Cond, v.derived, 0); v.clock != unsaid && lose >= 0 && (v.clock == saysOver) != (lose == side) {
				found = v.judgedOver()
			}
			if v.effect.Check == TokenCompare {
				break
			}
		}
		if found != nil && slices.Contains(refused, found) {
			return found.gone()
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// onlyWay reports whether every path from the branch at d to b goes through
// successor i.
func onlyWay(d *ssa.BasicBlock, i int, b *ssa.BasicBlock) bool {
	return !pathAvoiding(d.Succs[1-i], b, d)
}

// pathAvoiding reports whether a path leads from one block to another and not
// through a third.
func pathAvoiding(from, to, not *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{not: true}
	var walk func(b *ssa.BasicBlock) bool
	walk = func(b *ssa.BasicBlock) bool {
		if b == to {
			return true
		}
		if seen[b] {
			return false
		}
		seen[b] = true
		return slices.ContainsFunc(b.Succs, walk)
	}
	return walk(from)
}
