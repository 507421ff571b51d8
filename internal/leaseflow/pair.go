package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// pairing is a call that frees or prolongs a lock, with the acquire that it
// belongs to, if that was found.
type pairing struct {
	release *event
	acquire *event // nil when only the words around the release say lock
}

// pair finds, among all events of the package, the plain store calls that free
// or prolong a lock, and turns them into what they are: a release or a renewal
// without proof of ownership. It returns the unsafe ones.
func (p *program) pair(all map[*ssa.Function][]*event) []pairing {
	var acquires []*event
	for _, fn := range p.fns {
		for _, e := range all[fn] {
			if e.Kind == Acquire && !e.Held {
				if len(e.Aliases) == 0 && e.Key.known() {
					e.Aliases = p.aliases(e.Key)
				}
				if v := handleValue(e); v != nil && e.direct && e.Candidate {
					e.Aliases = slices.Concat(e.Aliases, p.aliases(p.term(v)))
				}
				acquires = append(acquires, e)
			}
		}
	}
	acquires = p.distinct(acquires)
	p.touched = map[*ssa.Function]bool{}
	var out []pairing
	for _, fn := range p.fns {
		for _, u := range all[fn] {
			if u.paired {
				if a := p.partner(u, acquires); a != nil {
					u.partner = a
				}
				out = append(out, pairing{u, u.partner})
				continue
			}
			if u.Kind == Release && u.Unsafe && u.deferred && !u.direct { // told where it stands, but for the losers that it runs for
				if a := p.partner(u, acquires); a != nil && a.fn == u.fn && p.early(u, a) {
					out = append(out, pairing{u, a})
				}
				continue
			}
			if u.Kind != Write || !freeing(u) {
				continue
			}
			a := p.partner(u, acquires)
			if a == nil && (u.Own || !p.looksLikeRelease(u) || slices.ContainsFunc(acquires, func(a *event) bool { return beside(a, u) }) || p.plainlyPut(u, acquires, all)) {
				continue
			}
			if a != nil && (a.Unique || p.mintedHere(u.Key, 0)) {
				u.Kind = Release
				p.touched[fn] = true
				continue
			}
			switch u.Action {
			case Prolong:
				u.Kind = Renew
			default:
				u.Kind = Release
			}
			u.Unsafe = u.Guard <= StatusOnly
			u.paired, u.partner = true, a
			p.touched[fn] = true
			out = append(out, pairing{u, a})
		}
	}
	return out
}

// distinct drops the acquires that a caller only repeats, and those that could
// be a lock only beside their own release.
func (p *program) distinct(acquires []*event) []*event {
	type same struct{ at, key string }
	seen := map[same]bool{}
	var out []*event
	for _, direct := range []bool{true, false} { // the primitive call tells most
		for _, a := range acquires {
			if a.direct != direct {
				continue
			}
			k := same{a.At, a.Key.Shape()}
			if !seen[k] || a.Key.Op == opParam {
				seen[k] = true
				out = append(out, a)
			}
		}
	}
	return out
}

// freeing reports whether a write may free or prolong a lock record.
func freeing(e *event) bool {
	switch e.Action {
	case Delete, Prolong:
		return true
	}
	return e.Unsafe
}

// partner finds the acquire of the lock that u frees.
func (p *program) partner(u *event, acquires []*event) *event {
	var best *event
	rank := 0
	for _, a := range acquires {
		if a.Store != "" && u.Store != "" && a.Store != u.Store {
			continue
		}
		// evidence that the acquire is a lock at all
		if a.Candidate && !p.lockEvidence(a) {
			if root(a.fn) != root(u.fn) || !u.deferred && a.fn != u.fn.Parent() || !p.decides(a) {
				continue
			}
		}
		n := p.pairRank(a, u)
		if n == rank && best != nil && best.NoExpiry && !a.NoExpiry {
			best = a // one way in with an end is enough for a stale holder
		}
		if n == rank && best != nil && u.Guard == OwnerGuard && best.Origin == ConstOrigin && a.Origin != ConstOrigin {
			best = a // the one that stores what is compared
		}
		if n == 0 || n <= rank {
			continue
		}
		best, rank = a, n
	}
	return best
}

// decides reports whether the function branches on the answer of an acquire.
func (p *program) decides(a *event) bool {
	for _, b := range a.fn.Blocks {
		if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && p.failure(cond.Cond, a) >= 0 {
			return true
		}
	}
	return false
}

// pairRank says how well the key of a release fits that of an acquire; 0 for
// not at all.
func (p *program) pairRank(a, u *event) int {
	if !u.Key.known() || !a.Key.known() || beside(a, u) {
		return 0
	}
	if a.Key.Equal(u.Key) && (a.Key.telling() || root(a.fn) == root(u.fn)) {
		if a.Key.Op == opConst && len(a.Key.Text) > 6 && a.Key.Text[:6] == "table " {
			if a.Key.Text == "table " {
				return 0
			}
			return 3
		}
		if p.generic(u) {
			return 0
		}
		return 4
	}
	shape := u.Key.Shape()
	if u.Key.telling() && (sameShape(u.Key, a.Key) || slices.Contains(a.Aliases, shape)) {
		if p.generic(u) {
			return 0
		}
		return 3
	}
	for _, s := range p.aliases(u.Key) {
		if (slices.Contains(a.Aliases, s) || a.Key.Shape() == s) && (p.runs(a.fn, u.fn) || !p.generic(u)) {
			return 2
		}
	}
	// siblings that each get the whole key as a parameter
	if u.Key.Op == opParam && a.Key.Op == opParam && u.Key.id == any(u.fn) && a.Key.id == any(a.fn) && (siblings(a.fn, u.fn) || p.neighbours(a.fn, u.fn)) && p.releaseName(u.fn) {
		return 1
	}
	return 0
}

// beside reports whether u changes what stands beside the lock of a.
func beside(a, u *event) bool {
	return otherRecord(a.Key, u.Key) || otherRecord(a.Row, u.Row)
}

// plainlyPut reports whether the key of u is one that this package also writes
// without a condition, while it takes its locks otherwise: a note of who holds
// one, which stands beside it.
func (p *program) plainlyPut(u *event, acquires []*event, all map[*ssa.Function][]*event) bool {
	if !u.Key.telling() || !slices.ContainsFunc(acquires, func(a *event) bool { return a.Store == u.Store && !a.Candidate }) {
		return false
	}
	for _, fn := range p.fns {
		for _, w := range all[fn] {
			if w.Kind == Write && w.direct && w.Action == Overwrite && w.Guard == Unguarded && !w.Unsafe && w.Store == u.Store && sameShape(w.Key, u.Key) {
				return true
			}
		}
	}
	return false
}

// runs reports whether a function is another one, or calls it.
func (p *program) runs(a, fn *ssa.Function) bool {
	return root(a) == root(fn) || slices.ContainsFunc(p.callers[root(fn)], func(call ssa.CallInstruction) bool { return root(call.Parent()) == root(a) })
}

// generic reports whether u is a store's own plain delete, of whatever key it
// is told, beside which a lock method happens to build keys the same way.
func (p *program) generic(u *event) bool {
	if p.ownWords(u.Key) || u.Key.Op == opConst {
		return false
	}
	hasParam := false
	var look func(t Term)
	look = func(t Term) {
		if t.Op == opParam && t.id == any(root(u.fn)) {
			hasParam = true
		}
		for _, x := range t.Args {
			if t.Op != opField {
				look(x)
			}
		}
	}
	look(u.Key)
	return hasParam && !p.releaseName(root(u.fn)) && !hasWord(lockWords, root(u.fn).Name())
}

// releaseName reports whether a function says that it frees or prolongs, in a
// place that is about locks.
func (p *program) releaseName(fn *ssa.Function) bool {
	name := root(fn).Name()
	if hasWord(map[string]bool{"unlock": true}, name) {
		return true
	}
	return hasWord(releaseWords, name) && hasWord(lockWords, p.context(fn)...) || hasWord(lockWords, name)
}

// siblings reports whether two functions are methods of one type.
func siblings(a, b *ssa.Function) bool {
	a, b = root(a), root(b)
	ra, rb := a.Signature.Recv(), b.Signature.Recv()
	if ra == nil || rb == nil {
		return false
	}
	na, nb := namedOf(ra.Type()), namedOf(rb.Type())
	return na != nil && nb != nil && na.Obj() == nb.Obj()
}

// neighbours reports whether two functions of no type stand in one file.
func (p *program) neighbours(a, b *ssa.Function) bool {
	a, b = root(a), root(b)
	file := func(fn *ssa.Function) string { return p.pass.Fset.Position(fn.Pos()).Filename }
	return a.Signature.Recv() == nil && b.Signature.Recv() == nil && file(a) == file(b)
}

// looksLikeRelease reports whether an unpaired call frees a lock by all that
// the words say: the key names a lock, and the function frees one.
func (p *program) looksLikeRelease(u *event) bool {
	if u.Action != Delete && u.Action != Prolong || !u.direct && u.body == nil {
		return false
	}
	if u.Unsafe { // a record that the statement itself shows to be a lease
		return true
	}
	if hasAny(selfWords, p.keyWords(u.Key)) {
		return false
	}
	if !u.direct && !hasWord(lockWords, p.passedNames(u.Key)...) {
		return false
	}
	return p.ownWords(u.Key) && p.releaseName(u.fn) && hasWord(releaseWords, root(u.fn).Name())
}

// passedNames returns the words of a key behind calls as keyNames does, but for
// fields of values that somebody else made: when a cache is cleaned on the way,
// what this package stores into such a field elsewhere says nothing of it.
func (p *program) passedNames(t Term) []string {
	switch {
	case t.Op == opField && !t.Args[0].known():
		return nil
	case t.Op == opConcat:
		var out []string
		for _, a := range t.Args {
			out = append(out, p.passedNames(a)...)
		}
		return out
	}
	return p.keyNames(t)
}

// selfWords name a process or its machine: a record that is named after its
// owner is nobody else's.
var selfWords = map[string]bool{"url": true, "host": true, "hostname": true, "addr": true, "address": true, "pid": true, "self": true, "instance": true}
