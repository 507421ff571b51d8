package leaseflow

import (
	"go/token"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/sqltext"
	"golang.org/x/tools/go/ssa"
)

// clockSays is what it means that a comparison of a lease's time with the clock
// is true.
type clockSays uint8

const (
	unsaid clockSays = iota
	saysLives
	saysOver
)

// clockCheck recognises local time held against the end of a lease.
func (p *program) clockCheck(in *ssa.Call, evs []*event, add addCheck) {
	c := p.callee(&in.Call)
	row := p.rowWith(c, models.Clock)
	if row == nil || len(c.args) == 0 {
		return
	}
	for i, a := range c.args {
		field, ok := p.leaseTime(a)
		var record Term
		if !ok {
			if field, record, ok = p.recordTime(a, evs); !ok {
				continue
			}
		}
		name := c.obj.Name()
		switch name {
		case "Before", "After", "Since", "Until", "Sub", "Compare":
		default:
			return
		}
		if !isBool(in.Type()) { // compared afterwards
			for _, r := range *in.Referrers() {
				if b, ok := r.(*ssa.BinOp); ok && isBool(b.Type()) {
					add(ClockCheck, in, b, unqualified(field), unsaid, record)
				}
			}
			return
		}
		says := saysOver
		if (name == "After") == (i == 0) { // the end comes after now
			says = saysLives
		}
		add(ClockCheck, in, in, unqualified(field), says, record)
		return
	}
}

// numericClock recognises times as numbers, held against the clock of this
// process or of the store.
func (p *program) numericClock(in *ssa.BinOp, evs []*event, add addCheck) bool {
	switch in.Op {
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
	default:
		return false
	}
	if !isNumeric(in.X.Type()) {
		return false
	}
	for _, side := range [][2]ssa.Value{{in.X, in.Y}, {in.Y, in.X}} {
		field, ok := p.leaseNumber(side[0], 0)
		if !ok || !p.tellsTime(side[0]) && !p.tellsTime(side[1]) {
			continue
		}
		_, record, _ := p.recordTime(side[0], evs)
		add(ClockCheck, in, in, unqualified(field), unsaid, record)
		return true
	}
	return false
}

// leaseNumber finds the time of a lease, or a part of it, in a sum. Numbers pace
// much else, so the words have to say lock.
func (p *program) leaseNumber(v ssa.Value, depth int) (string, bool) {
	if depth > 4 {
		return "", false
	}
	switch v := v.(type) {
	case *ssa.Convert:
		return p.leaseNumber(v.X, depth+1)
	case *ssa.BinOp:
		if v.Op != token.ADD && v.Op != token.SUB {
			return "", false
		}
		if field, ok := p.leaseNumber(v.X, depth+1); ok {
			return field, true
		}
		return p.leaseNumber(v.Y, depth+1)
	}
	for t := p.term(v); t.Op == opField && len(t.Args) == 1; t = t.Args[0] {
		if field, ok := p.leaseTimeField(t); ok && hasWord(lockWords, unqualified(field)) {
			return field, true
		}
	}
	return "", false
}

// tellsTime reports whether a number was computed from a reading of a clock.
func (p *program) tellsTime(v ssa.Value) bool {
	tells := false
	p.slice(v, func(x ssa.Value) bool {
		if call, ok := x.(*ssa.Call); ok {
			c := p.callee(&call.Call)
			tells = tells || p.isRow(c, models.Clock) || c.obj != nil && hasAny(nowWords, split(c.obj.Name()))
		}
		return !tells
	})
	return tells
}

// nowWords name functions that ask a clock for the time.
var nowWords = map[string]bool{"now": true, "time": true, "clock": true, "timestamp": true}

// recordTime reports whether a time value was read from a lock record: its
// modification time, or a field of it.
func (p *program) recordTime(v ssa.Value, evs []*event) (string, Term, bool) {
	for _, e := range evs {
		if e.Kind != Read && e.Kind != Check || !e.Key.known() || !p.isLockRecord(e.Key) {
			continue
		}
		call, ok := e.call.(*ssa.Call)
		if ok && p.comesFrom(v, call) {
			return e.API, e.Key, true
		}
	}
	return "", Term{}, false
}

// leaseTime reports whether a time value is the end, or the last renewal, of a
// lease: a field so named of a type that is about locks, or one that is set
// where a lock is taken.
func (p *program) leaseTime(v ssa.Value) (string, bool) {
	if phi, ok := v.(*ssa.Phi); ok { // one of several times, such as the last update or else the start
		for _, e := range phi.Edges {
			if _, again := e.(*ssa.Phi); again {
				continue
			}
			if field, ok := p.leaseTime(e); ok {
				return field, true
			}
		}
		return "", false
	}
	return p.leaseTimeField(p.term(v))
}

func (p *program) leaseTimeField(t Term) (string, bool) {
	if t.Op != opField {
		return "", false
	}
	name := t.Text[strings.LastIndexByte(t.Text, '.')+1:]
	words := strings.Join(split(name), "_")
	timeName := sqltext.ColumnKind(words) == sqltext.Expiry || words == "last" || strings.HasPrefix(words, "last_") || strings.HasPrefix(words, "renew") || hasAny(beatWords, split(name))
	if !timeName && !hasWord(lockWords, name) {
		return "", false
	}
	if hasWord(lockWords, unqualified(t.Text)) || p.leaseFields[t.Text] && plainTime(name) {
		return t.Text, true
	}
	return "", false
}

// plainTime reports whether a name speaks of time alone: what a field such as
// InviteExpiresAt ends is no lease, wherever it is set.
func plainTime(name string) bool {
	for _, w := range split(name) {
		if !beatWords[w] && !timeWords[w] && !lockWords[w] {
			return false
		}
	}
	return true
}
