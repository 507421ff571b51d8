package leaseflow

import (
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/sqltext"
	"golang.org/x/tools/go/ssa"
)

// clockCheck recognises local time held against the end of a lease.
func (p *program) clockCheck(in *ssa.Call, evs []*event, add addCheck) {
	c := p.callee(&in.Call)
	row := p.rowWith(c, models.Clock)
	if row == nil || len(c.args) == 0 {
		return
	}
	for _, a := range c.args {
		field, ok := p.leaseTime(a)
		var record Term
		if !ok {
			if field, record, ok = p.recordTime(a, evs); !ok {
				continue
			}
		}
		name := c.obj.Name()
		ages := name == "Since"
		switch name {
		case "Before", "After", "Since", "Until", "Sub", "Compare":
		default:
			return
		}
		carrier := ssa.Value(in)
		if !isBool(in.Type()) { // compared afterwards
			for _, r := range *in.Referrers() {
				if b, ok := r.(*ssa.BinOp); ok && isBool(b.Type()) {
					add(ClockCheck, in, b, unqualified(field), ages, record)
				}
			}
			return
		}
		add(ClockCheck, in, carrier, unqualified(field), ages, record)
		return
	}
}

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
	t := p.term(v)
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
