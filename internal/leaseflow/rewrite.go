package leaseflow

import (
	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// rewrites finds lock files that are kept fresh by name: the holder writes the
// time into whatever file bears the name of the lock, again and again. Only
// locks that some path judges by their age count, as nobody takes over others.
func (p *program) rewrites(all map[*ssa.Function][]*event, stale map[*event]bool) []UnsafeRelease {
	aged := map[string]bool{}
	for a := range stale {
		aged[a.At] = true
	}
	if len(aged) == 0 {
		return nil
	}
	var acquires []*event
	for _, fn := range p.fns {
		for _, a := range all[fn] {
			if a.Kind == Acquire && a.Store == "file" && !a.Inferred && aged[a.At] {
				acquires = append(acquires, a)
			}
		}
	}
	var out []UnsafeRelease
	told := map[ssa.Instruction]bool{}
	for _, fn := range p.fns {
		if p.testFile(fn.Pos()) {
			continue
		}
		for _, u := range all[fn] {
			if u.Kind != Write || u.Store != "file" || u.Action != Overwrite || !p.again(u) {
				continue
			}
			last := p.deepest(u)
			if !last.direct {
				continue // told where it stands
			}
			a, at := p.sameFile(u, acquires), p.content(last)
			if a == nil || at == nil || told[at] {
				continue
			}
			v := p.controlling(last, p.verdicts(last.fn, all[last.fn]))
			if v != nil && v.effect.Check == ClockCheck { // it takes over, it does not renew
				continue
			}
			told[at] = true
			r := UnsafeRelease{Pos: at.Pos(), API: u.API, Store: u.Store, Renews: true, Inferred: u.Inferred, Acquire: p.placeOfEvent(p.deepest(a))}
			if v != nil {
				r.Check, r.CheckKind = p.placeOfVerdict(v), v.effect.Check
			}
			out = append(out, r)
		}
	}
	return out
}

// sameFile finds an acquire that makes the file which u writes.
func (p *program) sameFile(u *event, acquires []*event) *event {
	for _, a := range acquires {
		if a.call != u.call && p.pairRank(a, u) > 2 {
			return a
		}
	}
	return nil
}

// again reports whether an effect happens time after time: in a loop on the way
// to it.
func (p *program) again(e *event) bool {
	for e := range p.inward(e) {
		if p.inLoop(e) {
			return true
		}
	}
	return false
}

// content returns the call that gives a file what it is to hold: the event's
// own, or the last write to the handle that it opens; nil when nothing is
// written.
func (p *program) content(e *event) ssa.Instruction {
	opened, ok := e.call.(*ssa.Call)
	if !ok {
		return nil
	}
	row := p.rowWith(p.callee(&opened.Call), models.Write)
	if row == nil {
		return nil
	}
	if _, opens := row.First("handle"); !opens {
		return opened
	}
	var last ssa.Instruction
	calls(e.fn, func(call ssa.CallInstruction) {
		c := p.callee(call.Common())
		row := p.rowWith(c, models.Write, models.Option)
		if row == nil || row.Attr["verb"] == "empty" {
			return
		}
		for _, word := range []string{"dst", "handle"} {
			pl, ok := row.First(word)
			if !ok || pl.Root == models.Result {
				continue
			}
			if v := (site{p, call, c, row}).value(pl); v != nil && p.comesFrom(v, opened) {
				last = call
			}
		}
	})
	return last
}
