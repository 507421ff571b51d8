package models

import (
	"fmt"
	"strconv"
	"strings"
)

// A Row says what one function or method of an API does.
type Row struct {
	Pkg  string // package path
	Recv string // base type name without pointer and type arguments; "" for a function
	Name string // "" for a call of a value of the func type Recv

	Role      Role
	Candidate bool // a lease only when the same key is released or expires as well
	Safe      bool // a release or extend that the store makes only for the owner
	KeyOnly   bool // acts on whatever is stored under the key, whoever owns it

	Subject map[string][]Place // what the role is about; several places are alternatives
	Attr    map[string]string  // words whose value is no place

	Store  string // family of the store: redis, etcd, sql, s3, ...; "" if unknown
	Note   string // free text for people
	Source string // file:line of the row
}

// String returns the full name, pkg.Recv.Name.
func (r *Row) String() string { return r.Pkg + "." + r.name() }

func (r *Row) name() string {
	switch {
	case r.Recv == "":
		return r.Name
	case r.Name == "":
		return r.Recv + callSuffix
	}
	return r.Recv + "." + r.Name
}

// callSuffix marks the row of a named func type: the call of its value.
const callSuffix = ".()"

// First returns the first place of a word of the subject.
func (r *Row) First(word string) (Place, bool) {
	if p := r.Subject[word]; len(p) > 0 {
		return p[0], true
	}
	return Place{}, false
}

// Roots of a Place.
const (
	Recv   = "recv"
	Arg    = "arg"
	Result = "result"
)

// A Place is where a call carries a value: the receiver, an argument (the
// context counts, the receiver does not), a result, or a field of one of them.
type Place struct {
	Root  string   // Recv, Arg or Result
	Index int      // zero-based; 0 for Recv
	Path  []string // names of fields, or of methods without arguments, outermost first; a slice stands for its elements
}

// String returns the place as rows spell it: recv, arg1.Key, result0.
func (p Place) String() string {
	s := p.Root
	if p.Root != Recv {
		s += strconv.Itoa(p.Index)
	}
	for _, f := range p.Path {
		s += "." + f
	}
	return s
}

// maxIndex bounds the index of an argument or result.
const maxIndex = 99

// ParsePlace parses recv, argN or resultN, each with optional .Field names.
func ParsePlace(s string) (Place, error) {
	root, path, dotted := strings.Cut(s, ".")
	var p Place
	switch {
	case root == Recv:
		p.Root = Recv
	case strings.HasPrefix(root, Arg):
		p.Root = Arg
	case strings.HasPrefix(root, Result):
		p.Root = Result
	default:
		return p, fmt.Errorf("place %q is none of recv, argN, resultN, with optional .Field", s)
	}
	if p.Root != Recv {
		digits := root[len(p.Root):]
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 || n > maxIndex || strconv.Itoa(n) != digits {
			return p, fmt.Errorf("place %q needs an index between 0 and %d after %q", s, maxIndex, p.Root)
		}
		p.Index = n
	}
	if dotted {
		p.Path = strings.Split(path, ".")
		for _, f := range p.Path {
			if !isIdent(f) {
				return p, fmt.Errorf("place %q has %q where a field name belongs", s, f)
			}
		}
	}
	return p, nil
}

// words are the keys of subjects. The first ones carry the analysis, the rest
// tells people which argument is which.
var words = []string{
	// the lease
	"key", "keys", "handle", "locker", "lock", "locks", "lockid", "lockname", "session", "lease", "leaseid",
	"ttl", "expiry", "wait", "ok", "verdict", "lost", "lockctx", "ctx", "release", "stop", "leader",
	"elected", "elector", "token", "owner", "entry", "entries",
	// what runs under it
	"body", "cb", "fn", "task", "runnable", "job",
	// the change
	"value", "values", "pairs", "cond", "conds", "absent", "etag", "dedup", "sql", "args", "script", "sha",
	"cmd", "cmds", "op", "ops", "txn", "tx", "batch", "pipe", "stmt", "rows", "query", "update", "updates",
	// where it goes
	"store", "client", "conn", "db", "map", "table", "column", "bucket", "container", "blob", "path", "dir",
	"topic", "queue", "subject", "chan", "url", "method", "ns", "fd", "dest", "dst", "src", "writer",
	// the rest
	"verb", "builder", "buf", "data", "doc", "docs", "filter", "flags", "gen", "headers", "how", "id", "item",
	"items", "mgr", "mode", "models", "msg", "msgs", "mut", "muts", "name", "now", "obj", "opts",
	"params", "patch", "record", "records", "reply", "req", "t", "u",
}
