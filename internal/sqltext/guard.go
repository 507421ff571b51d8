package sqltext

import "strings"

// GuardKind says what in a statement keeps a stale holder from being obeyed.
type GuardKind int

// The kinds, strongest first.
const (
	// NoGuard: nothing was seen. It proves the absence of a guard only when
	// the statement is not Partial.
	NoGuard GuardKind = iota
	// Version: a version, token or epoch column is compared by = or IS, or
	// must be below the given one; or the statement compares the old value of
	// a column that it sets (compare and set).
	Version
	// Owner: the present owner or holder is compared by equality.
	Owner
	// GuardRow: a CTE or subquery locks a row that it finds by Version, Owner,
	// Expiry or Status.
	GuardRow
	// UnlockedGuard: the same without a lock clause. A takeover that commits
	// while the statement runs is missed.
	UnlockedGuard
	// Expiry: an expiry or heartbeat time is compared.
	Expiry
	// Status: the row must be in a known state, or a column that the
	// statement sets must be null or hold a literal.
	Status
	// CreateOnly: the row is only ever created: DO NOTHING, IGNORE, IF NOT
	// EXISTS, WHERE NOT EXISTS.
	CreateOnly
	// Conditional: an upsert under a condition that is none of the above.
	Conditional
	// ByAge: a delete of rows older than a given time, which is idempotent.
	ByAge
)

var guardNames = [...]string{"none", "version", "owner", "guard row", "unlocked guard", "expiry", "status", "create only", "conditional", "by age"}

// String returns the kind in lower case.
func (k GuardKind) String() string {
	if k < 0 || int(k) >= len(guardNames) {
		return "invalid"
	}
	return guardNames[k]
}

// Guard is the strongest guard of a statement.
type Guard struct {
	Kind GuardKind
	Cond Cond // the condition that decided; zero for a plain CreateOnly
	// Index and Name of the placeholder that the condition compares with; 0
	// and "" when there is none.
	Index int
	Name  string
}

// Guard returns the strongest guard of a statement that writes, or that selects
// rows for update.
//
// Conjuncts need one guard among them; alternatives (OR) need one each, where a
// test for NULL counts like the kind of its column, and the weakest alternative
// decides. A guard in one CTE that writes says nothing of another.
func (s Statement) Guard() Guard {
	best := Guard{}
	if s.Verb == Unknown {
		return best
	}
	better := func(g Guard) {
		if g.Kind != NoGuard && (best.Kind == NoGuard || g.Kind < best.Kind) {
			best = g
		}
	}
	switch s.Conflict {
	case Nothing:
		if s.Verb == Insert || s.Verb == Merge {
			better(Guard{Kind: CreateOnly})
		}
	case UpdateWhere:
		var conds []Cond
		for _, c := range s.ConflictWhere {
			if !s.inserted(c) {
				conds = append(conds, c)
			}
		}
		g := s.conjuncts(conds)
		if g.Kind == NoGuard && len(conds) > 0 {
			g = guardOf(Conditional, conds[0])
		}
		better(g)
	}
	better(s.conjuncts(s.Where))
	better(s.guardRow())
	if s.Timestamp.Kind == Placeholder {
		better(Guard{Kind: Version, Cond: Cond{Column: "timestamp", Op: "<", Value: s.Timestamp}, Index: s.Timestamp.Index, Name: s.Timestamp.Name})
	}
	return best
}

// inserted reports whether a condition of an upsert compares a column with what
// the same statement inserts into it by the same placeholder. Of the conflicting
// key that is always true.
func (s Statement) inserted(c Cond) bool {
	for i, name := range s.Columns {
		if name == c.Column && i < len(s.Values) && c.Op == "=" && s.Values[i].Kind == Placeholder && c.Value.Kind == Placeholder {
			return s.Values[i].Index == c.Value.Index && s.Values[i].Name == c.Value.Name && !isVersionName(name) && !isOwnerName(name)
		}
	}
	return false
}

func guardOf(kind GuardKind, c Cond) Guard {
	return Guard{Kind: kind, Cond: c, Index: c.Value.Index, Name: c.Value.Name}
}

// conjuncts returns the strongest guard among conditions that all hold.
func (s Statement) conjuncts(conds []Cond) Guard {
	best := Guard{}
	for _, c := range conds {
		g := s.condGuard(c)
		if g.Kind == Owner && len(conds) == 1 && !anyPart(c.Column, ownerParts) && !strings.HasSuffix(c.Column, "_by") {
			continue // WHERE worker_id = ? alone names the row
		}
		if g.Kind != NoGuard && (best.Kind == NoGuard || g.Kind < best.Kind) {
			best = g
		}
	}
	return best
}

func (s Statement) condGuard(c Cond) Guard {
	switch {
	case c.Op == "or":
		return s.alternatives(c.Or)
	case c.Op == "notexists":
		return guardOf(CreateOnly, c)
	case c.Column == "":
		return Guard{}
	case isVersionName(c.Column) && pinsVersion(c):
		return guardOf(Version, c)
	case isOwnerName(c.Column) && (c.Op == "=" || c.Op == "is") && c.Value.Kind != Literal:
		return guardOf(Owner, c)
	case isExpiryName(c.Column) && ordered(c.Op):
		return guardOf(Expiry, c)
	case isStatusName(c.Column) && (c.Op == "=" || c.Op == "in" || c.Op == "is"):
		return guardOf(Status, c)
	case s.oldValue(c):
		kind := Version
		if c.Value.Kind == Literal {
			kind = Status
		}
		return guardOf(kind, c)
	case s.sets(c.Column) && (c.Op == "isnull" || c.Op == "is" || c.Op == "not" && c.Value.Kind == NoValue):
		return guardOf(Status, c)
	case s.Verb == Delete && isTimeName(c.Column) && (c.Op == "<" || c.Op == "<=" || c.Op == "between"):
		return guardOf(ByAge, c)
	}
	return Guard{}
}

// alternatives returns the weakest of the guards of an OR, which must all have
// one.
func (s Statement) alternatives(or [][]Cond) Guard {
	worst := Guard{}
	unset := false
	for _, branch := range or {
		if len(branch) == 1 && branch[0].Op == "isnull" && guardName(branch[0].Column) {
			unset = true
			continue
		}
		g := s.conjuncts(branch)
		if g.Kind == NoGuard {
			return Guard{}
		}
		if g.Kind > worst.Kind {
			worst = g
		}
	}
	if worst.Kind == NoGuard && unset {
		return guardOf(Status, or[0][0])
	}
	return worst
}

func guardName(column string) bool {
	return isVersionName(column) || isOwnerName(column) || isExpiryName(column)
}

func ordered(op string) bool {
	return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "between"
}

// pinsVersion reports whether the condition holds a version to a known value,
// or requires it to be older. A constant pins nothing: it is part of the query.
func pinsVersion(c Cond) bool {
	switch c.Op {
	case "=", "<", "<=", "is":
		return c.Value.Kind != Literal
	}
	return false
}

func (s Statement) sets(column string) bool {
	for _, a := range s.Set {
		if a.Column == column {
			return true
		}
	}
	return false
}

// oldValue reports whether the condition compares the old value of a column
// that the statement sets: by equality, or by order when the new value does not
// derive from the old one. balance >= ? beside balance = balance - ? is a check
// of another kind.
func (s Statement) oldValue(c Cond) bool {
	for _, a := range s.Set {
		if a.Column != c.Column {
			continue
		}
		switch c.Op {
		case "=":
			return a.Value.Kind != c.Value.Kind || a.Value.Index != c.Value.Index || a.Value.Name != c.Value.Name || a.Value.Text != c.Value.Text
		case "<", "<=":
			return !a.SelfRef
		}
	}
	return false
}

// guardRow looks for a guard in the CTEs and subqueries that the statement
// depends on.
func (s Statement) guardRow() Guard {
	best := Guard{}
	for _, list := range [][]Statement{s.With, s.Exists} {
		for _, sub := range list {
			if sub.Verb != Select {
				continue
			}
			g := sub.conjuncts(sub.Where)
			switch g.Kind {
			case NoGuard, CreateOnly, Conditional, ByAge:
				g = sub.guardRow()
			case Version, Owner, Expiry, Status, GuardRow, UnlockedGuard:
				weak := g.Kind == Expiry || g.Kind == Status
				g.Kind = UnlockedGuard
				if sub.ForUpdate {
					g.Kind = GuardRow
				} else if weak {
					g.Kind = NoGuard // a plain selection of the rows to work on
				}
			}
			if g.Kind != NoGuard && (best.Kind == NoGuard || g.Kind < best.Kind) {
				best = g
			}
		}
	}
	return best
}
