package leaseflow

import (
	"slices"

	"github.com/fencelint/fencelint/internal/sqltext"
)

// record is a change of one row, document or item, in whatever store: what it
// compares and what it sets, by column.
type record struct {
	verb     sqltext.Verb
	table    string // table, collection or model type
	guard    sqltext.GuardKind
	partial  bool     // more conditions may hide behind text that is not constant
	sets     []string // columns that the change sets, or that the new row has
	clears   []string // those of sets that become null or zero
	compares []string // columns of the condition
	free     bool     // the condition asks that nobody holds it: expired, null owner, absent
	conflict sqltext.Conflict
	selfRef  bool // some column becomes a function of its old value
	asked    Term // what a filter document asks fields to be equal to
}

func anyKind(cols []string, k sqltext.GuardKind) bool {
	return slices.ContainsFunc(cols, func(c string) bool { return sqltext.ColumnKind(c) == k })
}

// lockish reports whether the record is one that a lease lives in: its table
// says so, or it has both an owner and an expiry.
func (r *record) lockish() bool {
	if hasWord(lockWords, r.table) {
		return true
	}
	all := slices.Concat(r.sets, r.compares)
	return anyKind(all, sqltext.Expiry) && (anyKind(all, sqltext.Owner) || r.free && r.selfRef && anyKind(r.sets, sqltext.Version))
}

// named reports whether the table's name alone says that it holds locks.
func (r *record) named() bool { return hasWord(lockWords, r.table) }

// takes reports whether the change takes a lease.
func (r *record) takes() bool {
	if !r.lockish() {
		return false
	}
	switch r.verb {
	case sqltext.Insert, sqltext.Replace, sqltext.Merge:
		return r.named() || r.conflict == sqltext.UpdateWhere || r.free
	case sqltext.Update:
		if len(r.clears) > 0 && anyKind(r.clears, sqltext.Owner) {
			return false
		}
		return r.free && (anyKind(r.sets, sqltext.Owner) || anyKind(r.sets, sqltext.Expiry) || anyKind(r.sets, sqltext.Version))
	}
	return false
}

// frees reports whether the change gives a lease up.
func (r *record) frees() bool {
	if !r.lockish() {
		return false
	}
	switch r.verb {
	case sqltext.Delete:
		return r.named() || anyKind(r.compares, sqltext.Owner)
	case sqltext.Update:
		return anyKind(r.clears, sqltext.Owner) || r.named() && len(r.clears) > 0 && len(r.clears) == len(r.sets)
	}
	return false
}

// prolongs reports whether the change moves the expiry of a lease only.
func (r *record) prolongs() bool {
	return r.verb == sqltext.Update && r.lockish() && !r.takes() && !r.frees() &&
		anyKind(r.sets, sqltext.Expiry) && !slices.ContainsFunc(r.sets, func(c string) bool {
		k := sqltext.ColumnKind(c)
		return k != sqltext.Expiry && k != sqltext.Version
	})
}

// guardOf translates what a statement compares into what it is worth here.
func (r *record) guardWorth() Guard {
	switch r.guard {
	case sqltext.Version:
		return Fenced
	case sqltext.Owner:
		return OwnerGuard
	case sqltext.GuardRow:
		return SameTx
	case sqltext.UnlockedGuard:
		return MaybeGuard
	case sqltext.Expiry, sqltext.CreateOnly, sqltext.Conditional, sqltext.ByAge:
		return Conditional
	case sqltext.Status:
		return StatusOnly
	}
	if r.conflict == sqltext.Nothing || r.conflict == sqltext.UpdateWhere {
		return Conditional
	}
	if r.partial {
		return MaybeGuard
	}
	return Unguarded
}

// noTable is the name of a table whose name is not known, and begins that of any.
const noTable = "table "

// apply turns a plain write into what it does to a lease.
func (r *record) apply(e Effect) []Effect {
	e.Guard = r.guardWorth()
	if !e.Key.known() || e.Key.Op == opConst {
		e.Key = constTerm(noTable + r.table)
	}
	switch r.verb {
	case sqltext.Delete, sqltext.Truncate:
		e.Action = Delete
	case sqltext.Insert:
		e.Action = Insert
		if r.conflict == sqltext.UpdateBlind {
			e.Action = Overwrite
		}
	default:
		e.Action = Overwrite
		if r.selfRef {
			e.Action = Increment
		}
	}
	e.Lock = r.lockish()
	switch {
	case r.takes():
		e.Kind, e.Candidate = Acquire, !r.named() && r.verb == sqltext.Insert
		e.NoExpiry = !anyKind(r.sets, sqltext.Expiry) && !anyKind(r.compares, sqltext.Expiry)
		e.Guard = Unguarded
	case r.frees():
		e.Action, e.Unsafe = Delete, e.Guard == Unguarded || e.Guard == StatusOnly
	case r.prolongs():
		e.Action, e.Unsafe = Prolong, e.Guard == Unguarded || e.Guard == StatusOnly
	}
	return []Effect{e}
}
