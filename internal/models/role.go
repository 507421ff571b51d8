package models

// A Role says what a call does to a lease, or to the store behind it.
type Role string

// The roles of lock clients.
const (
	LockCtor    Role = "lockctor"       // makes the handle of one lock; takes nothing yet
	LockerCtor  Role = "lockerctor"     // makes a locker that hands out many locks
	SessionCtor Role = "sessionctor"    // makes the session that leases hang on
	Acquire     Role = "acquire"        // takes the lease, or waits until it can
	TryAcquire  Role = "tryacquire"     // takes the lease or says that it is taken
	WithLock    Role = "withlock"       // runs its func argument while the lease is held
	Elect       Role = "elect"          // campaigns, and runs what it was given as leader
	Callback    Role = "callback"       // registers a func that runs by the lease's events
	Release     Role = "release"        // gives the lease up
	ForceRel    Role = "forcerelease"   // gives up anybody's lease
	Extend      Role = "extend"         // renews the lease
	Check       Role = "check"          // tells whether, or how long, the lease is held: stale at once
	Token       Role = "token"          // an ordered number of the present ownership
	TokenSource Role = "tokensource"    // issues ordered numbers
	OwnerID     Role = "ownerid"        // the owner value: equality only, no order
	OwnerOption Role = "ownerid-option" // sets the owner value when the lock is made
	LockName    Role = "lockname"       // tells the key of a lock
	Option      Role = "option"         // another setting of a lock, a job or a client
	NonLock     Role = "nonlock"        // looks like a lock and is none: it lives in one process
	Ambiguous   Role = "ambiguous"      // a lease only if its value was made by a lease's constructor
)

// The roles of stores and outside systems.
const (
	Write      Role = "write"       // changes the store; conditional only where a cond field is set
	CWrite     Role = "cwrite"      // changes the store under a condition, or only creates
	WriteOp    Role = "write-op"    // a change that takes effect at a later call
	CWriteOp   Role = "cwrite-op"   // the same under a condition
	Read       Role = "read"        // reads the store
	Condition  Role = "condition"   // adds a condition to a later or surrounding change
	CondResult Role = "condresult"  // tells whether a conditional change took effect
	Dedup      Role = "dedup"       // names a request so that the other side drops duplicates
	External   Role = "external"    // changes a system that knows no token: queue, mail, payment, API
	SQLExec    Role = "sqlexec"     // runs SQL text for its effect
	SQLQuery   Role = "sqlquery"    // runs SQL text for its rows, perhaps with an effect
	SQLPrepare Role = "sqlprepare"  // holds SQL text that runs later
	Command    Role = "command"     // runs a command that its arguments spell
	Script     Role = "script"      // runs a script at the store: its text decides
	ScriptCtor Role = "script-ctor" // holds the text of a script
	TxBegin    Role = "txbegin"     // begins a transaction or pipeline
	TxCommit   Role = "txcommit"    // makes its changes take effect
	TxRollback Role = "txrollback"  // drops them
	Txn        Role = "txn"         // runs operations, or a func argument, as one transaction
	Builder    Role = "builder"     // starts a chain whose last call has the effect
)

// The roles of values that pass between the calls.
const (
	Client     Role = "client"     // makes or hands out a client or connection
	Wrapper    Role = "wrapper"    // runs its func argument, perhaps several times
	Unwrap     Role = "unwrap"     // returns what its argument or receiver holds
	Spawn      Role = "spawn"      // runs its func argument in another goroutine
	Join       Role = "join"       // waits for what was spawned
	RandomID   Role = "randomid"   // a random value: no order
	Clock      Role = "clock"      // reads or compares local time
	ClockToken Role = "clocktoken" // local time as a number: no order of grants
)

// Roles returns every role, in the order of this file.
func Roles() []Role {
	return []Role{
		LockCtor, LockerCtor, SessionCtor, Acquire, TryAcquire, WithLock, Elect, Callback,
		Release, ForceRel, Extend, Check, Token, TokenSource, OwnerID, OwnerOption, LockName,
		Option, NonLock, Ambiguous,
		Write, CWrite, WriteOp, CWriteOp, Read, Condition, CondResult, Dedup, External,
		SQLExec, SQLQuery, SQLPrepare, Command, Script, ScriptCtor,
		TxBegin, TxCommit, TxRollback, Txn, Builder,
		Client, Wrapper, Unwrap, Spawn, Join, RandomID, Clock, ClockToken,
	}
}

// TakesLease reports whether a call of this role can begin the holding of a
// lease, by itself or, for the roles of text and conditions, by what its
// arguments say.
func (r Role) TakesLease() bool {
	switch r {
	case LockCtor, LockerCtor, SessionCtor, Acquire, TryAcquire, WithLock, Elect,
		SQLExec, SQLQuery, SQLPrepare, Command, Script, ScriptCtor, Txn:
		return true
	}
	return false
}
