package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// underGiven looks at a call that is given how to take a lease, how to give it up,
// and what to do meanwhile: the lease is over when the call returns, and what else
// was given runs under it.
func (p *program) underGiven(evs []*event, c callee) []*event {
	i := slices.IndexFunc(evs, func(a *event) bool { return a.Kind == Acquire && !a.Held && a.body != nil && a.body != c.fn })
	if i < 0 {
		return evs
	}
	a := evs[i]
	back := p.givesBack(a, c)
	if back == nil {
		return evs
	}
	var out []*event
	for _, e := range evs {
		switch {
		case e.body == a.body || e.body == back:
			continue
		case e.Kind == RunBody:
			e.Held = true // for whoever knows the func
		case e.Kind == Write && e.body != nil:
			if !slices.ContainsFunc(out, func(o *event) bool { return o.Kind == Acquire && o.body == e.body }) {
				held := *a
				held.Held, held.Func, held.direct, held.body = true, -1, false, e.body
				out = append(out, &held)
			}
			e.Held = true
		}
		out = append(out, e)
	}
	return out
}

// givesBack finds, among the funcs that a call is given, the one that ends a lease
// which another of them takes.
func (p *program) givesBack(a *event, c callee) *ssa.Function {
	for _, arg := range c.args {
		if !isFunc(arg.Type()) {
			continue
		}
		target := p.calleeOf(arg, nil)
		sum := p.summaryOf(target)
		if sum == nil || target.fn == nil || target.fn == a.body {
			continue
		}
		if slices.ContainsFunc(sum.Effects, func(r Effect) bool {
			return (r.Kind == Release || r.Kind == Write && r.Action == Delete) && matches(&a.Effect, &r)
		}) {
			return target.fn
		}
	}
	return nil
}
