package leaseflow

import (
	"go/types"
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// lateCommits finds locks that are given up before the transaction that was
// made under them is committed: the next holder reads the state before it.
func (p *program) lateCommits(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	add := func(release, a *event, commit ssa.Instruction, certain bool) {
		f := release.fault(ReleaseBeforeCommit)
		f.Acquire = p.placeOfEvent(a)
		f.Certain = f.Certain && certain
		if commit != nil {
			f.Write = &Place{Pos: commit.Pos(), API: "Commit", Store: "sql"}
		}
		out = append(out, f)
	}
	commits := p.commits(fn)
	for _, a := range p.leases(evs) {
		if a.Store == "sql" {
			continue // its lock may be part of the transaction
		}
		r := p.regionOf(a, evs)
		again := map[*ssa.BasicBlock]bool{a.call.Block(): true}
		for _, rel := range r.ends {
			for _, c := range commits {
				if _, deferred := c.(*ssa.Defer); !deferred && p.begunUnder(r, fn) && comesAfter(rel.call, c, again) {
					add(rel, a, c, true)
				}
			}
		}
		for _, rel := range r.defers {
			for _, c := range commits { // what is deferred first runs last
				if _, deferred := c.(*ssa.Defer); deferred && before(c, rel.call) {
					add(rel, a, c, true)
				}
			}
		}
		if !p.changesRow(r, evs) {
			continue
		}
		for _, rel := range slices.Concat(r.ends, r.defers) {
			switch {
			case p.transacted[fn]:
				add(rel, a, nil, true)
			case p.worksOnParameter(fn, r):
				add(rel, a, nil, false)
			}
		}
	}
	return out
}

// commits lists the calls in fn that end a transaction of a database, also in
// a func literal that is deferred.
func (p *program) commits(fn *ssa.Function) []ssa.Instruction {
	var out []ssa.Instruction
	calls(fn, func(call ssa.CallInstruction) {
		c := p.callee(call.Common())
		if p.isCommit(c) {
			out = append(out, call)
			return
		}
		if _, deferred := call.(*ssa.Defer); deferred && c.fn != nil && c.fn.Parent() == fn {
			calls(c.fn, func(inner ssa.CallInstruction) {
				if p.isCommit(p.callee(inner.Common())) {
					out = append(out, call)
				}
			})
		}
	})
	return out
}

func (p *program) isCommit(c callee) bool {
	row := p.rowWith(c, models.TxCommit)
	return row != nil && row.Store == "sql"
}

// begunUnder reports whether a transaction begins in a region.
func (p *program) begunUnder(r *region, fn *ssa.Function) bool {
	begun := false
	calls(fn, func(call ssa.CallInstruction) {
		if row := p.rowWith(p.callee(call.Common()), models.TxBegin); row != nil && row.Store == "sql" && r.held.has(call) {
			begun = true
		}
	})
	return begun
}

// comesAfter reports whether b runs after a without the blocks of avoid between.
func comesAfter(a, b ssa.Instruction, avoid map[*ssa.BasicBlock]bool) bool {
	if a.Block() == b.Block() {
		return before(a, b)
	}
	return reachable(a.Block().Succs, b.Block(), avoid)
}

// before reports whether a always runs before b.
func before(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
	}
	return a.Block().Dominates(b.Block())
}

func (p *program) changesRow(r *region, evs []*event) bool {
	return slices.ContainsFunc(evs, func(e *event) bool { return e.Kind == Write && e.Store == "sql" && r.held.has(e.call) })
}

// worksOnParameter reports whether the changes of a region go through a
// transaction that the caller began and will commit.
func (p *program) worksOnParameter(fn *ssa.Function, r *region) bool {
	for _, pr := range fn.Params {
		if !p.isTransaction(pr.Type()) {
			continue
		}
		for _, user := range *pr.Referrers() {
			if call, ok := user.(ssa.CallInstruction); ok && r.held.has(call) {
				return true
			}
		}
	}
	return false
}

// isTransaction reports whether a type can be committed and is no pool.
func (p *program) isTransaction(t types.Type) bool {
	return !p.poolType(t) && p.committable(t)
}

// committable reports whether a type has a method that commits.
func (p *program) committable(t types.Type) bool {
	named := namedOf(t)
	if named == nil {
		return false
	}
	var recv types.Type = named
	if !types.IsInterface(named) {
		recv = types.NewPointer(named)
	}
	methods := types.NewMethodSet(recv)
	for i := range methods.Len() {
		if m, ok := methods.At(i).Obj().(*types.Func); ok && p.isCommit(callee{obj: m.Origin()}) {
			return true
		}
	}
	return false
}
