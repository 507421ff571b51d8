package leaseflow

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// mismatches finds a lock that is taken under one key and given up under
// another, which can never be the same.
func (p *program) mismatches(fn *ssa.Function, evs []*event) []Fault {
	acquires := p.leases(evs)
	if len(acquires) != 1 {
		return nil
	}
	a := acquires[0]
	var release *event
	for _, e := range evs {
		if e.Kind != Release && !(e.Kind == Write && e.Action == Delete) || !e.Key.known() || e.Store != a.Store {
			continue
		}
		if e.Key.Equal(a.Key) || p.handleReleases(a, e) {
			return nil
		}
		if e.Kind == Release || e.Guard == OwnerGuard || p.ownWords(e.Key) {
			if release != nil {
				return nil
			}
			release = e
		}
	}
	if release == nil || !differ(a.Key, release.Key) || !p.ownWords(a.Key) && !p.ownWords(release.Key) || !follows(a.call, release.call) {
		return nil
	}
	f := release.fault(KeyMismatch)
	f.Acquire = p.placeOfEvent(a)
	f.Certain = f.Certain && a.direct
	return []Fault{f}
}

// handleReleases reports whether a release goes by the handle of the acquire.
func (p *program) handleReleases(a, r *event) bool {
	return a.Handle.known() && r.Handle.known() && r.Kind == Release && !r.Key.known()
}

// differ reports whether two keys are built alike and yet never equal: one part
// is another constant, or another field of the same value.
func differ(a, b Term) bool {
	as, bs := parts(a), parts(b)
	if len(as) != len(bs) {
		return false
	}
	different, shared := 0, 0
	for i := range as {
		switch x, y := as[i], bs[i]; {
		case x.Equal(y), x.Op == opField && y.Op == opField && x.Text == y.Text && oneBase(x, y):
			if x.Op == opConst {
				shared += len(x.Text)
			}
		case x.Op == opConst && y.Op == opConst:
			n := commonPrefix(x.Text, y.Text)
			if n < 4 && i == 0 {
				return false
			}
			shared += n
			different++
		case x.Op == opField && y.Op == opField && structOf(x.Text) == structOf(y.Text) && oneBase(x, y):
			different++
		case x.Op == opParam && y.Op == opParam && x.id == y.id && x.N != y.N:
			different++
		default:
			return false
		}
	}
	return different == 1 && shared >= 4
}

// oneBase reports whether two fields may be those of one value: helpers that
// build keys leave open which one they got.
func oneBase(x, y Term) bool {
	if len(x.Args) != 1 || len(y.Args) != 1 {
		return false
	}
	return !x.Args[0].known() || !y.Args[0].known() || x.Args[0].Equal(y.Args[0])
}

func structOf(field string) string { return field[:max(strings.LastIndexByte(field, '.'), 0)] }

func parts(t Term) []Term {
	if t.Op == opConcat {
		return t.Args
	}
	return []Term{t}
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
