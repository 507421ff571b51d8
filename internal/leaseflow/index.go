package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// index notes, over the whole package, which keys are locks, which fields are
// set where a lease is taken, and which bodies run under one.
func (p *program) index(all map[*ssa.Function][]*event) {
	p.lockKeys, p.lockAliases, p.hasLeases = nil, nil, false
	p.leaseFields = map[string]bool{}
	p.heldEntry = map[*ssa.Function][]*event{}
	for _, fn := range p.fns {
		takes := false
		for _, e := range all[fn] {
			switch {
			case e.Kind == Acquire && e.Held:
				takes, p.hasLeases = true, true
				if e.body != nil {
					p.heldEntry[e.body] = append(p.heldEntry[e.body], e)
				}
			case e.Kind == Acquire && (!e.Candidate || p.lockEvidence(e)):
				takes, p.hasLeases = true, true
				if e.Key.known() {
					p.lockKeys = append(p.lockKeys, e.Key)
				}
				p.lockAliases = append(p.lockAliases, e.Aliases...)
			case e.Kind == Check && !e.Candidate:
				p.hasLeases = true
				takes = takes || e.Check == LostSignal
			case e.Kind == Renew:
				takes, p.hasLeases = true, p.hasLeases || !e.Candidate
			}
		}
		if takes {
			p.noteFields(fn, 0)
		}
	}
	for fn, evs := range p.heldEntry {
		_ = evs
		p.noteFields(fn, 0)
	}
	for _, fn := range p.fns {
		if e := p.leaderRunnable(fn); e != nil {
			p.heldEntry[fn] = append(p.heldEntry[fn], e)
			p.hasLeases = true
		}
	}
	slices.Sort(p.lockAliases)
	p.lockAliases = slices.Compact(p.lockAliases)
}

// noteFields notes the fields that fn sets, by itself or through a setter.
func (p *program) noteFields(fn *ssa.Function, depth int) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Store:
				if fa, ok := in.Addr.(*ssa.FieldAddr); ok {
					p.leaseFields[fieldName(fa.X.Type(), fa.Field)] = true
				}
			case ssa.CallInstruction:
				for _, a := range in.Common().Args {
					if mi, ok := a.(*ssa.MakeInterface); ok {
						a = mi.X
					}
					if fa, ok := a.(*ssa.FieldAddr); ok {
						p.leaseFields[fieldName(fa.X.Type(), fa.Field)] = true
					}
				}
				if depth < 2 {
					if c := p.callee(in.Common()); c.fn != nil && len(c.fn.Blocks) <= 12 {
						p.noteFields(c.fn, depth+1)
					}
				}
				if _, ok := in.(*ssa.Call); ok { // row.Scan(&t.until): the pointer sits in a variadic slice
					for _, a := range in.Common().Args {
						es, _ := p.elements(a)
						for _, e := range es {
							if mi, ok := e.(*ssa.MakeInterface); ok {
								if fa, ok := mi.X.(*ssa.FieldAddr); ok {
									p.leaseFields[fieldName(fa.X.Type(), fa.Field)] = true
								}
							}
						}
					}
				}
			}
		}
	}
	for _, a := range fn.AnonFuncs {
		if depth < 2 {
			p.noteFields(a, depth+1)
		}
	}
}

// leaderRunnable recognises the Start method of a type that says, by a method
// NeedLeaderElection that returns true, that it runs on the leader only.
func (p *program) leaderRunnable(fn *ssa.Function) *event {
	if fn.Name() != "Start" || fn.Signature.Recv() == nil || len(fn.Blocks) == 0 {
		return nil
	}
	for _, g := range p.fns {
		if g.Name() != "NeedLeaderElection" || !siblings(fn, g) {
			continue
		}
		ret := onlyReturn(g)
		if ret == nil || len(ret.Results) != 1 {
			return nil
		}
		if t, ok := p.term(ret.Results[0]).constant(); !ok || t != "true" {
			return nil
		}
		return &event{fn: g, Effect: Effect{Kind: Acquire, API: "leader election", Store: "kubernetes", At: p.position(g.Pos()), Within: shortName(g), Held: true, Verdict: -1, Func: -1}}
	}
	return nil
}
