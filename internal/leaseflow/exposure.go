package leaseflow

import (
	"go/token"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"
)

// exposures finds, in one function, the writes that a stale holder can make.
func (p *program) exposures(fn *ssa.Function, evs []*event) []Exposure {
	if p.inTest(fn) {
		return nil
	}
	var out []Exposure
	verdicts := p.verdicts(fn, evs)
	regions := p.regions(fn, evs)
	for _, e := range evs {
		if !p.counts(e) || e.again(evs) || p.namedByHolder(e, evs) {
			continue
		}
		if e.Held && e.body != nil && len(p.heldEntry[e.body]) > 0 {
			continue // told where the body stands
		}
		last := p.deepest(e)
		x := Exposure{Pos: last.pos(), Write: e.Effect, call: e.call}
		x.Write.RMW = e.RMW && (last.RMW || p.rewritesOnTheWay(e))
		x.Write.Weak = e.Weak || e.Leased && last.elsewhere() || p.alsoFree(e, last) || p.chronicles(e) || p.intoCache(e) || e.Action == Increment && refuses(e.call.Block())
		if call := p.inBody(e); call != x.Pos { // the region is in a caller of the line that has to change
			x.From = p.placeOfEvent(e)
			x.From.Pos = call
		}
		x.Via = p.via(e)
		x.told = x.Write.RMW && !e.rewrites && len(x.Via) > 0
		if !e.direct && e.At != p.position(x.Pos) {
			x.At = p.placeOf(&e.Effect)
		}
		in := slices.DeleteFunc(regionsWith(regions, e), func(r *region) bool { return r.ownRecord(e) })
		if v := p.controlling(e, verdicts); v != nil && !e.deferred {
			if e.Guard >= MaybeGuard || p.setsUp(e, v) || v.takes(e) || p.holdsRow(e, evs) || refuses(e.call.Block()) {
				continue
			}
			x.Check, x.CheckKind = p.placeOfVerdict(v), v.effect.Check
			x.Remembered = v.effect.Check == OwnerCheck && v.effect.Store == "" && !v.record.known() && !v.effect.Key.known()
			if v.over {
				x.CheckKind = Takeover
			}
			if v.effect.Check == ClockCheck && e.Action == Overwrite && (e.Lock || e.Key.known() && v.record.known() && sameShape(e.Key, v.record)) {
				x.CheckKind, x.TakesOver = Takeover, true
			}
			if len(in) > 0 {
				p.tell(&x, in[0], e)
			}
			out = append(out, x)
			continue
		}
		late := false
		if len(in) == 0 {
			r := p.undoneLate(e, evs)
			if r == nil {
				continue
			}
			in, late = append(in, r), true
		}
		if p.holdsRow(e, evs) {
			continue
		}
		r := in[0]
		p.tell(&x, r, e)
		x.Escaped = x.Escaped || late
		x.Write.Weak = x.Write.Weak || !slices.ContainsFunc(in, func(r *region) bool { return !optional(r.acquire, e) && !p.claimed(e, r, evs) })
		if e.Guard >= MaybeGuard && !p.unordered(e, r) {
			continue
		}
		x.Unordered = p.unordered(e, r)
		x.Partial = e.Guard < MaybeGuard && p.fencesElsewhere(e, r, evs)
		out = append(out, x)
	}
	// of equals, the first in the text: a way back from a failure stands last
	slices.SortStableFunc(out, func(a, b Exposure) int { return p.inText(a.Pos, b.Pos) })
	return worst(out)
}

// again reports whether a call leads back to a write that the same function
// makes by itself: that is told where it stands.
func (e *event) again(evs []*event) bool {
	return !e.direct && slices.ContainsFunc(evs, func(o *event) bool { return o.direct && o.Kind == Write && o.At == e.At })
}

// elsewhere reports whether what makes a write is in another package: a nearer
// lease is then told there.
func (e *event) elsewhere() bool { return !e.direct && e.body == nil }

// regions lists where leases are held in fn, those that span all of it first.
func (p *program) regions(fn *ssa.Function, evs []*event) []*region {
	var out []*region
	for _, a := range p.heldEntry[fn] {
		r := &region{acquire: a, held: span{}}
		for _, b := range fn.Blocks {
			r.held.add(b, 0, len(b.Instrs))
		}
		out = append(out, r)
	}
	for _, e := range evs {
		if e.Kind != Acquire || e.Held && e.body != nil {
			continue
		}
		if e.Candidate && !p.lockEvidence(e) {
			continue
		}
		out = append(out, p.regionOf(e, evs))
	}
	return out
}

// ownRecord reports whether a write is to the very key of the lease, and so no work
// under it. Only Redis locks are one key: others lie below their name, or in a table.
func (r *region) ownRecord(e *event) bool {
	return e.Store == "redis" && r.acquire.Store == e.Store && e.Key.telling() && sameShape(e.Key, r.acquire.Key)
}

func regionsWith(regions []*region, e *event) []*region {
	var out []*region
	for _, r := range regions {
		if r.held.has(e.call) && r.acquire.call != e.call {
			out = append(out, r)
		}
	}
	return out
}

// counts reports whether a write is one that a lease could be there to protect.
func (p *program) counts(e *event) bool {
	if e.Kind != Write || e.Unsafe && e.Guard <= StatusOnly && (e.Action == Delete || e.Action == Prolong) {
		return false
	}
	switch e.Store {
	case "", "io", "local", "clock", "bbolt", "random", "context", "token":
		return false
	case "file":
		return p.sharedFile(e)
	}
	if p.issuesToken(e) || p.cacheLibrary(e.At) {
		return false
	}
	words := p.keyWords(e.Key)
	if hasAny(metricWords, words) && !(e.RMW && e.Action == Overwrite) {
		return false
	}
	return !hasAny(cacheWords, words) && !p.contentAddressed(e.Key) && !e.Own
}

// cacheLibrary reports whether a place is in a package that is called cache and
// is no part of this module: projects call their stores so, libraries do not.
func (p *program) cacheLibrary(at string) bool {
	if m := p.pass.Module; m != nil && m.Path != "" && strings.HasPrefix(at, m.Path+"/") {
		return false
	}
	pkg := at[:max(strings.LastIndexByte(at, '/'), 0)]
	return pkg != p.pass.Pkg.Path() && hasAny(cacheWords, strings.FieldsFunc(pkg, func(r rune) bool { return !unicode.IsLetter(r) }))
}

// cacheWords name data that may be lost or overwritten at any time.
var cacheWords = map[string]bool{"cache": true, "cached": true, "caches": true, "etag": true, "etags": true}

// metricWords name counters for people to look at, or what a program that
// deals with such counters keeps about them.
var metricWords = map[string]bool{"metric": true, "metrics": true}

func (p *program) keyWords(t Term) []string {
	var out []string
	for _, n := range p.keyNames(t) {
		out = append(out, split(n)...)
	}
	return out
}

// chronicles reports whether a write adds a row to what tells people the past:
// twice the same is a blemish there, and nothing is lost.
func (p *program) chronicles(e *event) bool {
	return e.Action == Insert && hasAny(pastWords, p.keyWords(e.Key))
}

// pastWords name tables that rows are only added to; a log or an audit may have
// to be exact.
var pastWords = map[string]bool{"history": true, "histories": true}

// contentAddressed reports a name that is made from a hash of the content: to
// write it twice writes the same.
func (p *program) contentAddressed(t Term) bool {
	found := false
	if t.v == nil {
		return false
	}
	p.slice(t.v, func(v ssa.Value) bool {
		if call, ok := v.(*ssa.Call); ok {
			if c := p.callee(&call.Call); c.obj != nil && c.obj.Pkg() != nil {
				path := c.obj.Pkg().Path()
				found = found || strings.HasPrefix(path, "crypto/") && path != "crypto/rand" || path == "hash" || strings.HasPrefix(path, "hash/")
			}
		}
		return !found
	})
	return found
}

func (p *program) sharedFile(e *event) bool {
	t, ok := e.Key.text()
	if !ok {
		return false
	}
	for _, s := range p.cfg.SharedPaths {
		if strings.HasPrefix(t, s) {
			return true
		}
	}
	return false
}

// tell fills in the story of a region.
func (p *program) tell(x *Exposure, r *region, w *event) {
	a := r.acquire
	x.Acquire = p.placeOfEvent(a)
	x.Acquirer = a.Effect
	x.NoExpiry = a.NoExpiry || a.Lasting
	x.LeaderOnly = a.Held
	x.Dropped = p.dropped(a) || p.unheeded(a, w)
	x.Kept = r.kept() || a.Unfreed && len(r.ends)+len(r.defers) == 0
	if len(r.ends) > 0 {
		x.Release = p.placeOfEvent(r.ends[0])
	} else if len(r.defers) > 0 {
		x.Release = p.placeOfEvent(r.defers[0])
	}
	if (w.spawned || w.Spawned) && !p.joined(w) && !p.handedOver(w, r) {
		x.Escaped = true
	}
	if w.deferred {
		for _, d := range r.defers { // a defer that was registered earlier runs later
			if d.deferred && d.call.Pos() > w.call.Pos() {
				x.Escaped = true
			}
		}
	}
	x.Stored = x.Write.Token
	if p.migrates() {
		x.Write.Weak = true
	}
}

// dropped reports whether the answer of an acquire is never looked at.
func (p *program) dropped(a *event) bool {
	if a.call == nil || a.Held {
		return false
	}
	call, ok := a.call.(*ssa.Call)
	if !ok {
		return false
	}
	res := call.Call.Signature().Results()
	if res.Len() == 0 {
		return false
	}
	looked := false
	for i := range res.Len() {
		t := res.At(i).Type()
		if !isError(t) && !isBool(t) && !slices.Contains(a.Gates, i) {
			continue
		}
		v := resultValue(call, i)
		if v == nil {
			continue
		}
		for _, r := range *v.Referrers() {
			if _, ok := r.(*ssa.DebugRef); !ok {
				if _, isExtract := r.(*ssa.Extract); !isExtract || res.Len() == 1 {
					looked = true
				}
			}
		}
	}
	return !looked
}

// holdsRow reports whether the write runs on a transaction in which this
// function has locked a row.
func (p *program) holdsRow(e *event, evs []*event) bool {
	c := p.callee(e.call.Common())
	if !e.direct || len(c.args) == 0 {
		return false
	}
	tx := p.term(c.args[0])
	for _, r := range evs {
		if r.Kind == Read && r.Tx && r.direct {
			if rc := p.callee(r.call.Common()); len(rc.args) > 0 && (p.term(rc.args[0]).Equal(tx) || r.Handle.Equal(tx)) {
				return true
			}
		}
	}
	return false
}

// setsUp reports whether a write under a check is part of taking, renewing or
// recording the lease itself.
func (p *program) setsUp(e *event, v *verdict) bool {
	return e.Key.known() && v.record.known() && e.Key.telling() && sameShape(e.Key, v.record) && e.Action == Prolong
}

// unordered reports whether a write that seems fenced compares, by order, a
// random value.
func (p *program) unordered(e *event, r *region) bool {
	return e.Guard == Fenced && e.Ordered && (e.Origin == RandomOrigin || e.Origin == TimeOrigin)
}

// fencesElsewhere reports whether another write of the region is fenced.
func (p *program) fencesElsewhere(e *event, r *region, evs []*event) bool {
	for _, o := range evs {
		if o != e && o.Kind == Write && r.held.has(o.call) && (o.Guard == Fenced || o.Guard == OwnerGuard) && o.Store != e.Store && o.Origin != RandomOrigin {
			return true
		}
	}
	return false
}

func (p *program) inTest(fn *ssa.Function) bool {
	return p.testFile(fn.Pos())
}

// testFile reports whether a place is in a file of tests, or of what runs them.
func (p *program) testFile(pos token.Pos) bool {
	name := p.pass.Fset.Position(pos).Filename
	return strings.HasSuffix(name, "_test.go") || p.harness[name]
}
