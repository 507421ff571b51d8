package leaseflow

import (
	"strings"
)

// lasts reports whether a lock that is taken by creating its record ends only
// when somebody removes it: the record has no end of its own, and nothing in the
// package deals with ends. Its holder is then never stale unless a person broke
// the lock, so the writes under it are of little harm. How it is freed is
// another matter: a forced unlock may stand behind each release.
func (s site) lasts(record Term) bool {
	if hasAny(endWords, split(strings.TrimPrefix(record.Text, itemMark))) {
		return false
	}
	for _, pl := range s.row.Subject["cond"] {
		v := s.value(pl)
		if v == nil || len(pl.Path) == 0 {
			continue
		}
		if f := s.p.fieldValue(v, pl.Path); f != nil {
			if text, _ := s.p.term(f).text(); strings.ContainsAny(text, "<>"+hole) {
				return false
			}
		}
	}
	return !s.p.endsLeases()
}

// endsLeases reports whether anything that the package declares, down to its
// local variables, is named after the end or the renewal of a lease.
func (p *program) endsLeases() bool {
	if p.endsKnown == maybe {
		p.endsKnown = no
		for id, obj := range p.pass.TypesInfo.Defs {
			if obj != nil && hasAny(endWords, split(id.Name)) && !p.testFile(id.Pos()) {
				p.endsKnown = yes
				break
			}
		}
	}
	return p.endsKnown == yes
}

// endWords are in the names of what ends or prolongs a lease.
var endWords = map[string]bool{
	"ttl": true, "expiry": true, "expire": true, "expires": true, "expired": true, "expiration": true, "expiring": true,
	"stale": true, "heartbeat": true, "heartbeats": true, "renew": true, "renewal": true, "renewed": true, "renews": true,
	"lease": true, "leases": true, "leased": true, "keepalive": true, "takeover": true, "until": true,
}
