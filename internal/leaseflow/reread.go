package leaseflow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// rereads finds releases that read the lock record anew and write it back free
// without a look at whose it is: a version that was read just now is that of
// any holder. Only locks that a method of the same type judges by their age
// count.
func (p *program) rereads(all map[*ssa.Function][]*event) []UnsafeRelease {
	var out []UnsafeRelease
	for _, fn := range p.fns {
		if fn.Parent() != nil || p.testFile(fn.Pos()) || !hasWord(freeWords, fn.Name()) || !p.releaseName(fn) {
			continue
		}
		for _, u := range all[fn] {
			if u.Kind != Write || u.Action != Overwrite || !u.RMW || u.Tx || u.Guard != Conditional && u.Guard > StatusOnly || !p.counts(u) {
				continue
			}
			r := p.rereadFor(u, all[fn])
			if r == nil || p.ownAcquire(u, all[fn]) || p.holdsRow(u, all[fn]) || p.looksAt(r, u) || !p.judgedByAge(fn, all) {
				continue
			}
			f := UnsafeRelease{Pos: u.pos(), API: u.API, Store: u.Store, Reread: true, Inferred: u.Inferred, Forced: p.forced(fn)}
			if !u.direct {
				f.Release = p.placeOf(&u.Effect)
			}
			out = append(out, f)
		}
	}
	return out
}

// freeWords name what gives a lock up.
var freeWords = map[string]bool{"unlock": true, "release": true, "free": true, "resign": true, "relinquish": true}

// rereadFor finds the read, in a step of its own, of what u writes back.
func (p *program) rereadFor(u *event, evs []*event) *event {
	for _, r := range evs {
		if r.Kind != Read || r.Tx || r.call == u.call || !sameRecord(r, u) {
			continue
		}
		call, ok := r.call.(*ssa.Call)
		if !ok {
			continue
		}
		for _, a := range u.call.Common().Args {
			if !isContext(a.Type()) && p.comesFrom(a, call) {
				return r
			}
		}
	}
	return nil
}

// looksAt reports whether anything between a read and the write that follows
// may compare what was read with the worker's own.
func (p *program) looksAt(r, u *event) bool {
	call := r.call.(*ssa.Call)
	from := func(v ssa.Value) bool { return v != nil && !isError(v.Type()) && p.comesFrom(v, call) }
	for _, b := range u.fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.BinOp:
				if (in.Op == token.EQL || in.Op == token.NEQ) && !isConst(in.X) && !isConst(in.Y) && (from(in.X) || from(in.Y)) {
					return true
				}
			case *ssa.Lookup:
				if !isConst(in.Index) && from(in.X) {
					return true
				}
			case ssa.CallInstruction:
				if in == u.call || in == r.call || !p.mayJudge(in) {
					continue
				}
				for _, a := range in.Common().Args {
					if from(a) {
						return true
					}
				}
			}
		}
	}
	return false
}

func isConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}

// mayJudge reports whether a call could be a comparison, or takes one's own
// part out of what it is given.
func (p *program) mayJudge(call ssa.CallInstruction) bool {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return b.Name() == "delete"
	}
	c := p.callee(common)
	res := common.Signature().Results()
	for i := range res.Len() {
		if isBool(res.At(i).Type()) {
			return true
		}
	}
	return c.fn != nil || c.obj == nil || c.obj.Pkg() == p.pass.Pkg
}

// judgedByAge reports whether a method of the type that fn belongs to takes a
// lock over by its age.
func (p *program) judgedByAge(fn *ssa.Function, all map[*ssa.Function][]*event) bool {
	for _, g := range p.fns {
		if g == fn || !siblings(fn, g) {
			continue
		}
		for _, v := range p.homeChecks(g, all[g]) {
			if v.effect.Check == ClockCheck {
				return true
			}
		}
	}
	return false
}
