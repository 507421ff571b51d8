package leaseflow

import (
	"cmp"
	"go/token"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// inBody returns where the effect shows in the text of the function: at the
// call, or inside the func literal that the call runs.
func (p *program) inBody(e *event) token.Pos {
	if e.body != nil && e.body.Parent() != nil && root(e.body) == root(e.fn) {
		if inner := p.sameEffect(e, e.body); inner != nil && inner.fn != e.fn {
			return p.inBody(inner)
		}
	}
	return e.pos()
}

// maxInward bounds how many calls an effect is followed through.
const maxInward = 10

// inward yields an event and then, one call further in each time, those of this
// package that it stands for.
func (p *program) inward(e *event) iter.Seq[*event] {
	return func(yield func(*event) bool) {
		for range maxInward {
			if !yield(e) || e.last() {
				return
			}
			inner := p.sameEffect(e, e.body)
			if inner == nil {
				return
			}
			e = inner
		}
	}
}

// deepest follows an effect down to the last call in this package: the line
// that has to change.
func (p *program) deepest(e *event) *event {
	for inner := range p.inward(e) {
		e = inner
	}
	return e
}

// rewritesOnTheWay reports whether a function on the way to the deepest call
// shows that what is written was read before.
func (p *program) rewritesOnTheWay(e *event) bool {
	for e := range p.inward(e) {
		if e.rewrites {
			return true
		}
	}
	return false
}

// via lists the calls between that of e and the deepest one.
func (p *program) via(e *event) []Place {
	var out []Place
	way := slices.Collect(p.inward(e))
	for i := 1; i+1 < len(way); i++ {
		if at := p.inBody(way[i-1]); at != way[i].pos() {
			out = append(out, *p.placeOfEvent(way[i]))
		}
	}
	return out
}

// sameEffect finds, among the events of a callee, the one that a caller sees.
// Where several calls lead to it, that is one on the way of success rather than
// a repair in a defer, one that writes what was read, and the first in the text.
func (p *program) sameEffect(e *event, fn *ssa.Function) *event {
	var best *event
	for _, o := range p.all[fn] {
		if o != e && o.At == e.At && o.Kind == e.Kind && (best == nil || p.shownBefore(o, best)) {
			best = o
		}
	}
	return best
}

// shownBefore reports whether a story goes on with e rather than with o.
func (p *program) shownBefore(e, o *event) bool {
	if e.deferred != o.deferred {
		return o.deferred
	}
	if e.RMW != o.RMW && e.near(o) {
		return e.RMW
	}
	return p.inText(e.textPos(), o.textPos()) < 0
}

// near reports whether the one of two events that writes what was read shows
// that no further away than the other makes its write.
func (e *event) near(o *event) bool {
	if o.RMW {
		e, o = o, e
	}
	return e.rewrites || e.last() || !o.last()
}

// last reports whether no further call in this package leads to the write.
func (e *event) last() bool { return e.direct || e.body == nil }

// textPos is where the event stands in the text of its function: at the func
// literal that a call runs, or at the call.
func (e *event) textPos() token.Pos {
	if e.body != nil && e.body.Parent() != nil && root(e.body) == root(e.fn) {
		return e.body.Pos()
	}
	return e.pos()
}

// inText orders two places of the package by file and then by line. Which file has
// the lower positions is another one in every run, as they are read side by side.
func (p *program) inText(a, b token.Pos) int {
	f, g := p.pass.Fset.File(a), p.pass.Fset.File(b)
	if f == g || f == nil || g == nil {
		return cmp.Compare(a, b)
	}
	return strings.Compare(f.Name(), g.Name())
}

func (p *program) placeOfEvent(e *event) *Place {
	pl := &Place{API: e.API, Store: e.Store, Within: e.Within}
	if e.call != nil {
		pl.Pos = e.pos()
	} else {
		pl.Pos = e.fn.Pos()
	}
	return pl
}

func (p *program) placeOfVerdict(v *verdict) *Place {
	return &Place{Pos: v.pos, API: v.effect.API, Store: v.effect.Store, Within: v.effect.Within}
}

// placeOf names where a primitive call is, in this package or another.
func (p *program) placeOf(e *Effect) *Place {
	pl := &Place{API: e.API, Store: e.Store, Within: e.Within}
	pl.Position = parsePosition(e.At)
	for _, f := range p.pass.Files {
		tf := p.pass.Fset.File(f.Pos())
		if tf != nil && p.pass.Pkg.Path()+"/"+filepath.Base(tf.Name()) == pl.Position.Filename && pl.Position.Line > 0 && pl.Position.Line <= tf.LineCount() {
			pl.Pos = tf.LineStart(pl.Position.Line) + token.Pos(max(pl.Position.Column-1, 0))
			break
		}
	}
	return pl
}

func parsePosition(at string) token.Position {
	var pos token.Position
	i := strings.LastIndexByte(at, ':')
	if i < 0 {
		return pos
	}
	j := strings.LastIndexByte(at[:i], ':')
	if j < 0 {
		return pos
	}
	pos.Filename = at[:j]
	pos.Line, _ = strconv.Atoi(at[j+1 : i])
	pos.Column, _ = strconv.Atoi(at[i+1:])
	return pos
}
