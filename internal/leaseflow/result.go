package leaseflow

import (
	"go/token"
	"go/types"

	"github.com/fencelint/fencelint/internal/suppress"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Result is all that a rule sees of a package.
type Result struct {
	Directives *suppress.Directives
	Releases   []UnsafeRelease
	Writes     []Exposure
	Faults     []Fault

	pass      *analysis.Pass
	summaries map[*types.Func]*Summary
	ifaces    map[*types.Func]*Summary
	annotated []string // full names of functions with role directives
}

// Place is one step of a story.
type Place struct {
	Pos      token.Pos      // in the package under analysis, or
	Position token.Position // anywhere else
	API      string         // what is called
	Store    string
	Within   string // the function that holds it
}

// UnsafeRelease is a call that frees or prolongs a lock without proving, in
// the same step, that it is the holder's own.
type UnsafeRelease struct {
	Pos, End  token.Pos
	API       string
	Store     string
	Renews    bool // prolongs instead of freeing
	Script    bool // a script at the store
	Compared  bool // the store compares, but the value is shared by all holders
	Origin    Origin
	Early     bool   // deferred before the answer of the acquire was looked at
	Acquire   *Place // where the lock is taken, when that was found
	Check     *Place // the compare in the worker that comes before
	CheckKind CheckKind
	Unseen    bool   // the store compares who holds it, not the sign of life that was judged
	Reread    bool   // the store compares a version that was read just before, whoever held the lock then
	Release   *Place // the primitive call, when it is not at Pos
	NoExpiry  bool   // nobody can take the lock over, so there is no stale holder
	Forced    bool   // an administrator's forced unlock, or one of a migration
	Said      bool   // only names say that it is a lock: no acquire and no check was seen
	Unnamed   bool   // another change under the lease names no holder at all
	Inferred  bool
	Test      bool // in a test, a mock or a fake
}

// Exposure is a change that a stale holder can still make.
type Exposure struct {
	call     ssa.CallInstruction // in the region
	told     bool                // only further calls tell that what is written was read before
	Pos, End token.Pos
	Write    Effect
	From     *Place  // the call in the region that leads to Pos, when Pos is not in it
	Via      []Place // the calls between From and Pos
	Also     []Place // more calls that lead to Pos under a lease
	At       *Place  // the primitive call, when it is in another package
	Acquire  *Place
	Check    *Place
	Release  *Place

	CheckKind  CheckKind
	Remembered bool // the check asks a flag or predicate of the program's own, not the lock record
	Rank       int  // among the writes of the lease to this store, by harm; 0 is the worst
	Among      int  // how many there are
	Outdone    bool // the worst of them stores what was read before, and this one, which no check precedes, does not
	Outdoes    bool // another one is outdone by this
	Dropped    bool // the write runs although the acquire was refused
	Escaped    bool // runs after the lease, in a goroutine or a late defer
	Beside     bool // another write that escapes with this one loses more
	Partial    bool // another store in the region is fenced
	NoExpiry   bool
	Token      Origin // of the value that stands in for a token, when there is one
	Stored     bool   // an ordered token goes along and nobody compares it
	Kept       bool   // the lease is given up after a failure only, or never, and runs out after success
	Unordered  bool   // a random value is compared by order
	SharedName bool   // the holder is compared, by a name that all attempts of its process share
	MadeUp     bool   // the store orders the holders of one name, and this one is made up at every start
	TakesOver  bool   // the write takes a lease over from a holder judged dead
	Acquirer   Effect
	Test       bool
	LeaderOnly bool // the region is a leader's term
}
