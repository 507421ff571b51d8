package leaseflow

import (
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// fenceWords name a counter of ownerships.
var fenceWords = map[string]bool{"fence": true, "fences": true, "fencing": true, "epoch": true, "epochs": true, "generation": true}

// issuesToken reports whether an event counts a number up that tells holders of
// a lease apart.
func (p *program) issuesToken(e *event) bool {
	if e.Kind != Write || e.Action != Increment || !e.Key.known() || e.Store == "sql" {
		return false
	}
	return p.namesToken(e.Key)
}

func (p *program) namesToken(key Term) bool {
	words := p.keyWords(key)
	return hasAny(fenceWords, words) || slices.Contains(words, "token") && hasAny(lockWords, words)
}

// issuesNumbers reports whether a function, by its name, gives out the numbers of a
// counter: each asks for one of its own, and one that is lost does no harm.
func issuesNumbers(fn *ssa.Function) bool {
	words := split(root(fn).Name())
	if !hasAny(issueWords, words) || !hasAny(numberWords, words) {
		return false
	}
	for res := range root(fn).Signature.Results().Variables() {
		if isInteger(res.Type()) {
			return true
		}
	}
	return false
}

// issueWords and numberWords name, together, functions that give out numbers.
var (
	issueWords  = map[string]bool{"next": true, "gen": true, "generate": true, "new": true, "get": true, "alloc": true, "allocate": true, "issue": true}
	numberWords = map[string]bool{"id": true, "ids": true, "number": true, "numbers": true, "no": true, "seq": true, "sequence": true, "sequences": true}
)

// carriesToken reports whether what a call stores says how often the lease has
// changed hands: in a text, or in a field of what is marshalled.
func (s site) carriesToken() bool {
	pl, ok := s.row.First("value")
	if !ok || len(pl.Path) > 0 {
		return false
	}
	v := s.value(pl)
	if v == nil {
		return false
	}
	words := s.p.keyWords(s.p.term(v))
	s.p.slice(v, func(x ssa.Value) bool {
		call, ok := x.(*ssa.Call)
		if !ok {
			return true
		}
		c := s.p.callee(&call.Call)
		if c.obj == nil || c.obj.Name() != "Marshal" || len(c.args) == 0 {
			return false
		}
		if t := modelType(c.args[0]); t != nil {
			for f := range structUnder(t).Fields() {
				if isNumeric(f.Type()) {
					words = append(words, split(f.Name())...)
				}
			}
		}
		return false
	})
	return hasAny(fencingWords, words) || hasAny(epochWords, words) && hasAny(lockWords, words)
}

// fencingWords name a token whatever stands beside them; an epoch alone may be
// one of many things.
var fencingWords = map[string]bool{"fence": true, "fencing": true}

// tokenResets finds counters of tokens that end: they expire, or go with the
// lock. The next holder then gets a number that an older one has had.
func (p *program) tokenResets(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, e := range evs {
		if e.Kind != Write && e.Kind != Release && e.Kind != Renew || e.Action != Delete && e.Action != Prolong || !e.direct {
			continue
		}
		for _, key := range p.namedKeys(e) {
			issue := p.counter(key)
			if issue == nil {
				continue
			}
			f := e.fault(TokenReset)
			if e.Action == Prolong {
				f.Variant = "expires"
			}
			f.Write = p.placeOfEvent(issue)
			out = append(out, f)
			break
		}
	}
	return out
}

// namedKeys lists the keys that one command is about.
func (p *program) namedKeys(e *event) []Term {
	keys := []Term{e.Key}
	c := p.callee(e.call.Common())
	if row := p.rowWith(c, models.Write, models.CWrite); row != nil && !e.Script {
		if pl, ok := row.First("keys"); ok {
			es, _ := p.elements(site{p, e.call, c, row}.value(pl))
			for _, v := range es {
				if v != nil {
					keys = append(keys, p.term(v))
				}
			}
		}
	}
	return keys
}

// counter finds the event that counts up the key of a token.
func (p *program) counter(key Term) *event {
	if !key.known() || !p.hasLeases {
		return nil
	}
	for _, fn := range p.fns {
		for _, e := range p.all[fn] {
			if e.direct && p.issuesToken(e) && (key.Equal(e.Key) || sameShape(key, e.Key)) {
				return e
			}
		}
	}
	return nil
}

// lateTokens finds tokens that are drawn in a step of their own: a holder that
// stalls between the acquire and the token draws a higher one than its
// successor.
func (p *program) lateTokens(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, e := range evs {
		if !e.direct || e.deferred || e.spawned || !p.issuesToken(e) || p.onQueue(e) {
			continue
		}
		for _, a := range p.leases(evs) {
			if a.call == e.call || a.Key.Equal(e.Key) || !follows(a.call, e.call) && !follows(e.call, a.call) {
				continue
			}
			f := e.fault(TokenNotAtomic)
			f.Acquire = p.placeOfEvent(a)
			if !follows(a.call, e.call) {
				f.Variant = "before"
			}
			f.Certain = f.Certain && a.direct
			out = append(out, f)
			break
		}
	}
	return out
}
