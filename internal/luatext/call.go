package luatext

import (
	"strconv"
	"strings"
)

// ArgKind is where an argument comes from.
type ArgKind int

// The kinds. NoArg is the zero Arg. Result is an answer of Redis itself. Expr is
// computed from what its Text shows, such as "lock:" .. KEYS[1].
const (
	NoArg ArgKind = iota
	Keys
	Argv
	Literal
	Result
	Expr
	Unknown
)

// Arg is an argument of a call or a side of a comparison.
type Arg struct {
	Kind ArgKind
	// Index is the 1-based number of a Keys or Argv, 0 when it is not known
	// or stands for all of them.
	Index int
	// Text of a Literal without quotes, else the source with locals replaced
	// by what they stand for. Equal texts of an Expr are equal values.
	Text string
}

// Guard is a condition on a stored value.
//
// Op is one of
//
//	== ~= < <= > >=   the stored value compared with Other
//	exists notexists  the key, or the field, is or was there
//	truthy falsy      the answer of another command
//	or                one of the alternatives in Any holds
//	and               all of Any hold; only inside an "or"
//	other             a condition on no stored value; only inside an "or"
type Guard struct {
	Key     Arg
	Field   Arg // of a hash, a JSON document or a set, where known
	Op      string
	Other   Arg
	Command string // that read the value, in upper case
	Any     []Guard
}

// Call is one call of a Redis command.
type Call struct {
	Command string // upper case; "" unknown
	Args    []Arg  // after the command name
	Key     Arg    // of the command; zero when it has none or is not known
	Line    int    // 1-based; 0 for a call that is not from a script

	// Guards are the conditions under which the call runs, outermost first.
	Guards []Guard

	NX, XX, Get, KeepTTL bool // options of SET
	HasTTL               bool // SET with EX, PX, EXAT or PXAT; SETEX, PSETEX
	IfEq                 bool // IFEQ or IFDEQ: compared by the store
}

// NewCall reads a command with its arguments, for callers that send raw
// commands. The name may be in any case; "" or a name with a hole is unknown.
func NewCall(name string, args []Arg) Call {
	c := Call{Command: strings.ToUpper(name), Args: args}
	if strings.ContainsRune(name, hole) {
		c.Command = ""
	}
	if _, at := Redis(c.Command); at >= 0 && at < len(args) {
		c.Key = args[at]
	}
	switch c.Command {
	case "SET", "DELEX":
		c.options()
	case "SETEX", "PSETEX":
		c.HasTTL = true
	}
	return c
}

func (c *Call) options() {
	for i, a := range c.Args {
		if a.Kind != Literal || i < 1 || c.Command == "SET" && i < 2 {
			continue
		}
		switch strings.ToUpper(a.Text) {
		case "NX":
			c.NX = true
		case "XX":
			c.XX = true
		case "GET":
			c.Get = true
		case "KEEPTTL":
			c.KeepTTL = true
		case "EX", "PX", "EXAT", "PXAT":
			c.HasTTL = true
		case "IFEQ", "IFDEQ":
			c.IfEq = true
		}
	}
}

// Kind returns the kind of the call, with its arguments considered: an EXPIRE
// of no time deletes, a SET with NX acquires, a SET with XX and a time to live
// and a GETEX without options are what they do.
func (c Call) Kind() Kind {
	kind, _ := Redis(c.Command)
	switch {
	case c.Command == "SET" && c.NX:
		return Acquire
	case c.Command == "GETEX" && len(c.Args) < 2:
		return Read
	case (c.Command == "EXPIRE" || c.Command == "PEXPIRE") && len(c.Args) > 1 && c.Args[1].Kind == Literal:
		if n, err := strconv.Atoi(strings.TrimSpace(c.Args[1].Text)); err == nil && n <= 0 {
			return Delete
		}
	}
	return kind
}
