package leaseflow

import "fmt"

// Kind is the part that a call plays for a lease or a store.
type Kind uint8

// The kinds of effects.
const (
	Acquire Kind = iota + 1 // takes a lease
	Release                 // gives it up
	Renew                   // prolongs it
	Check                   // tells whether it is still held
	Write                   // changes a store or an outside system
	Read                    // reads a store
	RunBody                 // calls its func argument, under a lease or not
	Grant                   // returns an ordered token
)

var kindNames = [...]string{"", "acquire", "release", "renew", "check", "write", "read", "runbody", "grant"}

func (k Kind) String() string { return kindNames[k] }

// Action is what a write does to the data.
type Action uint8

// The actions. Overwrite is the zero value: it is the one that loses most.
const (
	Overwrite Action = iota
	Insert           // adds a row, document or message of its own
	Increment        // adds to what is there
	Delete           // removes what is there
	Prolong          // moves an expiry
	Send             // reaches an outside system: queue, mail, HTTP, RPC
	Take             // takes out what then no other gets
)

var actionNames = [...]string{"overwrite", "insert", "increment", "delete", "prolong", "send", "take"}

func (a Action) String() string { return actionNames[a] }

// Guard says what the store compares in the same step as the change.
type Guard uint8

// The guards, weakest first.
const (
	Unguarded   Guard = iota
	StatusOnly        // WHERE status = ?: holds for old and new holder alike, unless the acquire changed it
	MaybeGuard        // cannot be told: silence
	Deduped           // a request id that the other side checks
	OwnerGuard        // equality with the owner value of the acquisition
	Conditional       // version, etag, create-only, unique key, resourceVersion
	Fenced            // an ordered token
	SameTx            // the transaction that holds the row locked
)

var guardNames = [...]string{"none", "status", "maybe", "dedup", "owner", "condition", "token", "tx"}

func (g Guard) String() string { return guardNames[g] }

// Origin says where an owner value comes from.
type Origin uint8

// The origins of owner values.
const (
	UnknownOrigin Origin = iota
	RandomOrigin         // made for this acquisition
	ConstOrigin          // the same in every process
	HostOrigin           // host name, pid, user: the same for all acquisitions of one process
	TimeOrigin           // a reading of the clock
)

var originNames = [...]string{"unknown", "random", "const", "host", "time"}

func (o Origin) String() string { return originNames[o] }

// CheckKind says how a check decides that the lease is held.
type CheckKind uint8

// The kinds of checks; they name the categories of ttlcheck.
const (
	NoCheck CheckKind = iota
	OwnerCheck
	TTLRemaining
	ClockCheck
	TokenCompare
	ExtendCheck
	LostSignal
	Takeover
)

var checkNames = [...]string{"", "ownercheck", "ttlremaining", "clock", "tokencompare", "extendcheck", "lostsignal", "takeover"}

func (k CheckKind) String() string { return checkNames[k] }

// An Effect is one thing that a call does. Terms are written in the words of
// the function that makes the call, or, in a Summary, of the function itself.
type Effect struct {
	Kind   Kind
	API    string `json:",omitempty"` // what is called, for messages: "SetNX"
	Store  string `json:",omitempty"` // family of the store: redis, etcd, sql, ...
	At     string `json:",omitempty"` // file:line:column of the primitive call
	Within string `json:",omitempty"` // short name of the function that holds it

	Key    Term      `json:",omitzero"` // the key, table, object or node
	Row    Term      `json:",omitzero"` // what a condition on equality names in the table
	Handle Term      `json:",omitzero"` // the handle of the lock or client
	Owner  Term      `json:",omitzero"` // owner value that is stored or compared
	Method Term      `json:",omitzero"` // of a request, while it is not known
	Ctx    Term      `json:",omitzero"` // what ends the context that a release runs on, by lifetime
	Action Action    `json:",omitempty"`
	Guard  Guard     `json:",omitempty"`
	Check  CheckKind `json:",omitempty"`

	Lock      bool   `json:",omitempty"` // on the record that a lease lives in
	Candidate bool   `json:",omitempty"` // an acquire that needs evidence that it is a lock
	NoExpiry  bool   `json:",omitempty"` // a lock that nobody can take over
	Lasting   bool   `json:",omitempty"` // a record that only its removal ends, as far as the package shows
	Unfreed   bool   `json:",omitempty"` // a lock that nothing gives up in the package that makes it
	Unique    bool   `json:",omitempty"` // a record whose name belongs to this acquisition alone
	Own       bool   `json:",omitempty"` // a write to a record that only this run or process names
	Unsafe    bool   `json:",omitempty"` // a release or renewal that names the key alone
	Script    bool   `json:",omitempty"` // done by a script at the store
	RMW       bool   `json:",omitempty"` // a write of what was read before
	Fixed     bool   `json:",omitempty"` // sets constants and the time of day alone: what was read at most names the rows
	Tx        bool   `json:",omitempty"` // runs on a transaction or pipeline
	Inferred  bool   `json:",omitempty"` // one link is a merged interface or an inferred wrapper
	Origin    Origin `json:",omitempty"`
	Ordered   bool   `json:",omitempty"` // the store compares by order, not by equality
	Token     bool   `json:",omitempty"` // an ordered token goes along, stored but not compared
	Spawned   bool   `json:",omitempty"` // in a goroutine that may outlive the call
	Weak      bool   `json:",omitempty"` // likely cache, status or heartbeat: low confidence
	Claims    bool   `json:",omitempty"` // takes a record out of the state that it asks for, and tells whether there was one
	Leased    bool   `json:",omitempty"` // a write under a lease that is taken and given up nearer to it

	Gates   []int    `json:",omitempty"` // results that tell whether an acquire worked
	Verdict int      // result that carries a check's verdict; -1 for none
	Func    int      // parameter that RunBody calls
	Held    bool     `json:",omitempty"` // RunBody calls it under a lease
	Aliases []string `json:",omitempty"` // shapes of fields that hold the key or handle too

	Only []Premise `json:",omitempty"` // all of which hold where it happens
	Via  Dispatch  `json:",omitzero"`  // the last interface on the way to it
}

// String renders the effect for tests and -v.
func (e *Effect) String() string {
	s := fmt.Sprintf("%s %s %s key=%s", e.Kind, e.Store, e.API, e.Key.Shape())
	switch e.Kind {
	case Write, Release, Renew:
		s += fmt.Sprintf(" %s guard=%s", e.Action, e.Guard)
	case Check:
		s += fmt.Sprintf(" %s result=%d", e.Check, e.Verdict)
	case RunBody:
		s += fmt.Sprintf(" param=%d held=%v", e.Func, e.Held)
	}
	if len(e.Only) > 0 {
		s += fmt.Sprint(" only ", e.Only)
	}
	return s
}

// maxEffects bounds how many effects of one kind a Summary keeps, so that facts
// stay small and a call far up does not repeat everything below it.
var maxEffects = [...]int{Acquire: 4, Release: 6, Renew: 3, Check: 4, Write: 8, Read: 4, RunBody: 4, Grant: 1}

// Summary is what a caller needs to know of a function. It is a fact.
type Summary struct {
	Effects []Effect
	// Reads lists the results that carry data read from a store.
	Reads []int
	// Pooled lists the parameters that run as SQL on a pool of connections.
	Pooled []int
	// Makes lists the results whose type behind an interface is always the same.
	Makes []Made
}

// AFact marks Summary as a fact of go/analysis.
func (*Summary) AFact() {}

func (s *Summary) String() string {
	out := ""
	for i := range s.Effects {
		if i > 0 {
			out += "; "
		}
		out += s.Effects[i].String()
	}
	if len(s.Makes) > 0 {
		out += fmt.Sprint("; makes ", s.Makes)
	}
	if len(s.Pooled) > 0 {
		out += fmt.Sprint("; pooled ", s.Pooled)
	}
	return out
}

func (s *Summary) add(e Effect) {
	for i := range s.Effects {
		o := &s.Effects[i]
		if o.Kind == e.Kind && o.At == e.At && o.Func == e.Func && o.Verdict == e.Verdict && o.Action == e.Action && o.Key.Shape() == e.Key.Shape() &&
			(o.Guard == e.Guard || samePremises(o.Only, e.Only)) {
			o.Only = commonPremises(o.Only, e.Only)
			o.Via = o.Via.or(e.Via)
			if e.Guard < o.Guard {
				o.Guard = e.Guard
			}
			o.RMW = o.RMW || e.RMW
			o.Own = o.Own && e.Own
			o.Held = o.Held || e.Held
			o.Leased = o.Leased && e.Leased
			o.Claims = o.Claims && e.Claims
			o.Candidate = o.Candidate && e.Candidate
			o.Unfreed = o.Unfreed && e.Unfreed
			return
		}
	}
	n, mildest := 0, -1
	for i := range s.Effects {
		if s.Effects[i].Kind == e.Kind {
			n++
			if mildest < 0 || s.Effects[i].harm() < s.Effects[mildest].harm() {
				mildest = i
			}
		}
	}
	switch {
	case n < maxEffects[e.Kind]:
		s.Effects = append(s.Effects, e)
	case e.Kind == Write && e.harm() > s.Effects[mildest].harm():
		s.Effects[mildest] = e
	}
}

// rmwHarm is what it adds to the harm of a write that it stores what was read.
const rmwHarm = 8

// harm ranks writes by what a stale holder can destroy with them.
func (e *Effect) harm() int {
	if e.Own { // no successor means that record
		return 0
	}
	n := 0
	if e.Store != "file" && e.Store != "io" { // most files are this machine's alone
		n += 32
	}
	if !e.Weak {
		n += 16
	}
	if e.RMW {
		n += rmwHarm
	}
	if e.Guard == Unguarded {
		n += 4
	}
	if e.Token { // it was meant to be compared
		n += 12
	}
	if e.Action == Overwrite || e.Action == Send {
		n += 2
	}
	if e.Action == Increment {
		n++
	}
	return n
}
