package leaseflow

import (
	"go/constant"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// createsOrTakes reports whether a conditional put may take a lock: its
// condition is absence, or absence or expiry.
func (s site) createsOrTakes() bool {
	if s.asksAbsence() {
		return true
	}
	for _, pl := range s.row.Subject["cond"] {
		v := s.value(pl)
		if v == nil || len(pl.Path) == 0 {
			continue
		}
		name := pl.Path[len(pl.Path)-1]
		if set, val := s.p.fieldSet(v, pl.Path); set == yes {
			if strings.Contains(name, "NoneMatch") || strings.Contains(name, "NotExist") {
				return true
			}
			if val != nil {
				if t, ok := s.p.term(val).text(); ok && strings.Contains(t, "attribute_not_exists") {
					return true
				}
			}
		}
	}
	return false
}

// asksAbsence reports whether an option that makes a write create-only is set.
func (s site) asksAbsence() bool {
	return slices.ContainsFunc(s.row.Subject["absent"], func(pl models.Place) bool {
		v := s.value(pl)
		if v == nil || len(pl.Path) == 0 {
			return false
		}
		set, _ := s.p.fieldSet(v, pl.Path)
		return set == yes
	})
}

// guard finds what the store compares together with this write.
func (s site) guard() Guard {
	g := Unguarded
	if s.row.Attr["verb"] == "fence" {
		return Fenced
	}
	if s.row.Role == models.CWrite && len(s.row.Subject["cond"]) == 0 {
		return Conditional
	}
	for _, pl := range s.row.Subject["cond"] {
		v := s.value(pl)
		if v == nil {
			continue
		}
		if len(pl.Path) == 0 {
			if s.condArg(v) {
				return Conditional
			}
			continue
		}
		switch set, _ := s.p.fieldSet(v, pl.Path); {
		case set == yes:
			return Conditional
		case set == maybe && s.row.Role == models.CWrite:
			return Conditional
		case set == maybe:
			g = max(g, MaybeGuard)
		}
	}
	if s.asksAbsence() {
		return Conditional
	}
	for _, pl := range s.row.Subject["dedup"] {
		v := s.value(pl)
		if v == nil || len(pl.Path) == 0 {
			continue
		}
		switch set, _ := s.p.fieldSet(v, pl.Path); set {
		case yes:
			return Deduped
		case maybe:
			g = max(g, MaybeGuard)
		}
	}
	if s.passesCondition() {
		return Conditional
	}
	if s.livesByLease() {
		g = max(g, MaybeGuard)
	}
	return max(g, s.filterGuard(), s.chainGuard())
}

// condArg judges a condition that is an argument by itself: a version that is
// not "any".
func (s site) condArg(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok {
		return true
	}
	if c.Value == nil {
		return false
	}
	if c.Value.Kind() == constant.Int {
		n, _ := constant.Int64Val(c.Value)
		return n != -1
	}
	return !isZero(c)
}

// passesCondition looks for an argument that was made by a condition of the
// models: a Cmp, an expected revision, an optimistic patch, a request id.
func (s site) passesCondition() bool {
	for _, a := range s.c.args {
		if isContext(a.Type()) {
			continue
		}
		if s.p.madeByCondition(a, 0) {
			return true
		}
	}
	return false
}

func (p *program) madeByCondition(v ssa.Value, depth int) bool {
	if v == nil || depth > 4 {
		return false
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return p.madeByCondition(v.X, depth+1)
	case *ssa.ChangeType:
		return p.madeByCondition(v.X, depth+1)
	case *ssa.Extract:
		return p.madeByCondition(v.Tuple, depth+1)
	case *ssa.Call:
		c := p.callee(&v.Call)
		row := p.rowWith(c, models.Condition, models.Dedup)
		if row == nil {
			return false
		}
		if row.Recv != "" && !slices.ContainsFunc(row.Subject["cond"], func(pl models.Place) bool { return pl.Root == models.Result }) {
			return false // a link of a chain, which chainGuard reads
		}
		if opts, ok := row.First("opts"); ok { // options decide, as in MergeFromWithOptions
			es, _ := p.elements((site{p, v, c, row}).value(opts))
			return len(es) > 0
		}
		if pl, ok := row.First("cond"); ok && pl.Root == models.Arg {
			if c, ok := (site{p, v, c, row}).value(pl).(*ssa.Const); ok && c.Value != nil && isZero(c) {
				return false // LastRevision(0) adds no condition
			}
		}
		return true
	case *ssa.Slice:
		es, _ := p.elements(v)
		return slices.ContainsFunc(es, func(e ssa.Value) bool { return p.madeByCondition(e, depth+1) })
	}
	return false
}
