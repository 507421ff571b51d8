package leaseflow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// forced reports whether a function breaks locks on purpose, and is not what
// an ordinary release calls.
func (p *program) forced(fn *ssa.Function) bool {
	if !saysForced(fn.Name()) {
		return false
	}
	for _, call := range p.callers[fn] {
		if from := root(call.Parent()); !saysForced(from.Name()) && hasWord(releaseWords, from.Name()) {
			return false
		}
	}
	return true
}

func saysForced(name string) bool {
	for _, w := range split(name) {
		switch w {
		case "force", "forced", "admin", "break", "purge", "reset", "truncate", "all", "preempt", "evict", "steal":
			return true
		}
	}
	return false
}

// handleGone reports whether a release runs only where the handle of the lock,
// as the acquire keeps it, is nil: this process then holds nothing, and frees
// what somebody told it to free.
func (p *program) handleGone(b *ssa.BasicBlock) bool {
	for d := b; d != nil; d = d.Idom() {
		if len(d.Preds) > 0 && !slices.ContainsFunc(d.Preds, func(from *ssa.BasicBlock) bool { return !p.foundGone(from, d) }) {
			return true
		}
	}
	return false
}

// foundGone reports whether the way from one block to the next is that on which
// the handle of a lock is nil.
func (p *program) foundGone(from, to *ssa.BasicBlock) bool {
	cond, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	test, ok := cond.Cond.(*ssa.BinOp)
	if !ok || test.Op != token.EQL && test.Op != token.NEQ {
		return false
	}
	way := 0
	if test.Op == token.NEQ {
		way = 1
	}
	if from.Succs[way] != to || from.Succs[1-way] == to {
		return false
	}
	for _, side := range [][2]ssa.Value{{test.X, test.Y}, {test.Y, test.X}} {
		load, ok := side[0].(*ssa.UnOp)
		none, isConst := side[1].(*ssa.Const)
		if !ok || !isConst || !none.IsNil() || load.Op != token.MUL {
			continue
		}
		if fa, ok := load.X.(*ssa.FieldAddr); ok && p.keepsHandle(fieldName(fa.X.Type(), fa.Field)) {
			return true
		}
	}
	return false
}

// keepsHandle reports whether what is stored into a field comes from taking a
// lock: the handle on which that is done, or what it gave back.
func (p *program) keepsHandle(field string) bool {
	for _, v := range p.fields[field] {
		if ex, ok := v.(*ssa.Extract); ok {
			v = ex.Tuple
		}
		call, ok := v.(*ssa.Call)
		if ok && (p.madeBy(call, 0) != nil || slices.ContainsFunc(p.eventsAt(call, call.Parent()), func(e *event) bool { return e.Kind == Acquire && !e.Candidate })) {
			return true
		}
	}
	return false
}
