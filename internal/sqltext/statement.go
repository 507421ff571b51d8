package sqltext

import "slices"

// Verb is what a statement does.
type Verb int

// The verbs. Select stands also for VALUES and COPY ... TO; Replace for the
// REPLACE of MySQL and SQLite and for UPSERT; Copy for COPY ... FROM and LOAD
// DATA; Other for everything that is read but of no interest here.
const (
	Unknown Verb = iota
	Select
	Insert
	Update
	Delete
	Merge
	Replace
	Truncate
	Call
	Copy
	Begin
	Commit
	Rollback
	DDL
	Set
	LockTable
	Other
)

var verbNames = [...]string{"unknown", "select", "insert", "update", "delete", "merge", "replace", "truncate",
	"call", "copy", "begin", "commit", "rollback", "ddl", "set", "lock table", "other"}

// String returns the verb in lower case.
func (v Verb) String() string {
	if v < 0 || int(v) >= len(verbNames) {
		return "invalid"
	}
	return verbNames[v]
}

// Conflict says what an insert does with a row that is already there.
type Conflict int

// None lets the store refuse the row, Nothing keeps the old row (DO NOTHING,
// INSERT IGNORE, IF NOT EXISTS), Update overwrites it blindly (DO UPDATE without
// condition, REPLACE), UpdateWhere overwrites it under ConflictWhere.
const (
	None Conflict = iota
	Nothing
	UpdateBlind
	UpdateWhere
)

// Statement is one SQL statement. Names are lower case, without quotes and
// qualifiers; a name with a hole keeps U+FFFD in its place, a name that is all
// hole is "".
type Statement struct {
	Verb    Verb
	Name    string // the name a CTE gives to this statement
	Table   string // the target; of a SELECT the first table of FROM
	Where   []Cond // conjuncts of WHERE, of the IF of CQL, and of the SELECT of an INSERT ... SELECT
	Set     []Assign
	Columns []string // of an INSERT
	Values  []Value  // first tuple of VALUES, or the select list of an INSERT ... SELECT

	Conflict      Conflict
	ConflictWhere []Cond // also from ON DUPLICATE KEY UPDATE c = IF(cond, new, c)

	Select     bool // INSERT ... SELECT
	ForUpdate  bool // a row lock clause of any strength, here, in a CTE or in a subquery
	SkipLocked bool
	NoWait     bool
	Returning  bool
	// Partial: a hole stands where further clauses or conditions may be, so
	// that the absence of a condition proves nothing.
	Partial bool

	With      []Statement // CTEs, in order
	Exists    []Statement // subqueries of WHERE, FROM and the select list, with their own Where
	Locks     []LockCall  // in the whole statement
	Timestamp Value       // of CQL's USING TIMESTAMP

	alias string // of Table
}

// Writes reports whether the statement changes rows, itself or through a CTE.
// A CALL counts, unless it only takes or frees an application lock.
func (s Statement) Writes() bool {
	switch s.Verb {
	case Insert, Update, Delete, Merge, Replace, Truncate, Copy:
		return true
	case Call:
		return len(s.Locks) == 0
	}
	for _, w := range s.With {
		if w.Writes() {
			return true
		}
	}
	return false
}

// Source returns the table that the statement is about: the one behind its own
// CTEs where Table is the name of one.
func (s Statement) Source() string {
	table := s.Table
	for _, w := range slices.Backward(s.With) {
		if w.Name == table {
			table = w.Table
		}
	}
	return table
}

// Cond is one conjunct of a condition.
//
// Op is one of
//
//	= != < <= > >=   comparison with Value, turned so that Column is on the left
//	in is isnull notnull like between
//	not              negation: of IN, LIKE and BETWEEN with Column, else of anything
//	exists notexists a subquery, which stands in Statement.Exists
//	or               alternatives, which stand in Or
//	other            anything else
//
// A bare boolean column c is {c is true}.
type Cond struct {
	Column  string
	Op      string
	Value   Value
	Columns []string // every column that the conjunct names outside subqueries
	Or      [][]Cond // alternatives, each a list of conjuncts
}

// ValueKind is the kind of a Value.
type ValueKind int

// The kinds. NoValue is the zero Value. Now is the store's clock, also with
// interval arithmetic. Opaque is a hole.
const (
	NoValue ValueKind = iota
	Placeholder
	Literal
	Now
	Column
	Expr
	Opaque
)

// Value is an operand.
type Value struct {
	Kind ValueKind
	// Index is the 1-based number of a placeholder: its running position in
	// the whole text for ?, the number itself for $n, ?n, :n and @pn; 0 when
	// it has a name or the number is a hole. A Now or Expr carries the first
	// placeholder inside it.
	Index int
	// Name of a :name, @name, $name or ?name; of a Column its qualifier, where
	// "excluded" also stands for VALUES(c).
	Name string
	// Text of a literal without its quotes; the bare name of a Column; else
	// the source, shortened.
	Text    string
	Columns []string // of Column, Now and Expr
}

// Assign is one assignment of UPDATE SET, ON CONFLICT DO UPDATE SET or ON
// DUPLICATE KEY UPDATE.
type Assign struct {
	Column  string
	Value   Value
	SelfRef bool // the new value derives from the old one: n = n + 1
	Settles bool // and is the same when it is made again: n = LEAST(n, $1)
	// When holds the conjuncts of a value that is kept unless they hold:
	// c = IF(cond, new, c) or c = CASE WHEN cond THEN new ELSE c END.
	When []Cond
}
