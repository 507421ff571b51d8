package sqltext

import "strings"

// LockKind is what a lock call does.
type LockKind int

// Acquire waits or fails, TryAcquire answers whether it got the lock, Check
// only looks.
const (
	Acquire LockKind = iota
	TryAcquire
	Release
	Check
)

// Scope is what an application lock ends with.
type Scope int

// A Session lock lives as long as its connection, a Transaction lock as long as
// its transaction.
const (
	Session Scope = iota
	Transaction
)

// LockCall is a call of an application lock function.
type LockCall struct {
	Func   string // lower case; dbms_lock.request with its package
	Kind   LockKind
	Scope  Scope
	Shared bool
	Args   []Value // the lock's name or key first
}

var lockFuncs = map[string]LockCall{
	"pg_advisory_lock":                 {Kind: Acquire},
	"pg_advisory_lock_shared":          {Kind: Acquire, Shared: true},
	"pg_try_advisory_lock":             {Kind: TryAcquire},
	"pg_try_advisory_lock_shared":      {Kind: TryAcquire, Shared: true},
	"pg_advisory_xact_lock":            {Kind: Acquire, Scope: Transaction},
	"pg_advisory_xact_lock_shared":     {Kind: Acquire, Scope: Transaction, Shared: true},
	"pg_try_advisory_xact_lock":        {Kind: TryAcquire, Scope: Transaction},
	"pg_try_advisory_xact_lock_shared": {Kind: TryAcquire, Scope: Transaction, Shared: true},
	"pg_advisory_unlock":               {Kind: Release},
	"pg_advisory_unlock_shared":        {Kind: Release, Shared: true},
	"pg_advisory_unlock_all":           {Kind: Release},
	"get_lock":                         {Kind: TryAcquire},
	"release_lock":                     {Kind: Release},
	"release_all_locks":                {Kind: Release},
	"is_free_lock":                     {Kind: Check},
	"is_used_lock":                     {Kind: Check},
}

// locks lists the lock calls in [lo, hi), at any depth.
func (p *parser) locks(lo, hi int) []LockCall {
	var out []LockCall
	for i := lo; i < hi; i++ {
		t := p.tokens[i]
		if t.kind != wordToken && t.kind != nameToken {
			continue
		}
		switch t.text {
		case "sp_getapplock", "sp_releaseapplock":
			out = append(out, p.appLock(i, hi))
			continue
		case "dbms_lock":
			if p.isSymbol(i+1, ".") && (p.is(i+2, "request") || p.is(i+2, "release")) {
				c := LockCall{Func: "dbms_lock." + p.tokens[i+2].text, Kind: TryAcquire, Args: p.args(i+3, hi)}
				if p.is(i+2, "release") {
					c.Kind = Release
				}
				out = append(out, c)
			}
			continue
		}
		c, ok := lockFuncs[t.text]
		if !ok || !p.isSymbol(i+1, "(") {
			continue
		}
		c.Func, c.Args = t.text, p.args(i+1, hi)
		out = append(out, c)
	}
	return out
}

func (p *parser) args(open, hi int) []Value {
	m := p.closing(open, hi)
	if m < 0 {
		return nil
	}
	var out []Value
	for _, part := range p.split(open+1, m) {
		out = append(out, p.value(part[0], part[1], 0))
	}
	return out
}

// appLock reads the named or positional arguments of SQL Server's procedures:
// resource, mode, owner. The owner is the transaction by default.
func (p *parser) appLock(i, hi int) LockCall {
	c := LockCall{Func: p.tokens[i].text, Kind: Acquire, Scope: Transaction}
	if c.Func == "sp_releaseapplock" {
		c.Kind = Release
	}
	hi = min(hi, i+60) // five arguments need no more
	mode, owner := "", ""
	for n, part := range p.split(i+1, hi) {
		lo, end := part[0], part[1]
		name := [...]string{"resource", "lockmode", "lockowner", ""}[min(n, 3)]
		if c.Kind == Release && n == 1 {
			name = "lockowner"
		}
		if lo+1 < end && p.tokens[lo].kind == placeholderToken && p.isSymbol(lo+1, "=") {
			name, lo = strings.ToLower(p.tokens[lo].name), lo+2
		}
		v := p.value(lo, min(lo+1, end), 0)
		switch name {
		case "resource":
			c.Args = append([]Value{v}, c.Args...)
		case "lockmode":
			mode = v.Text
		case "lockowner":
			owner = v.Text
		}
	}
	c.Shared = strings.HasSuffix(strings.ToLower(mode), "shared")
	if strings.EqualFold(owner, "session") {
		c.Scope = Session
	}
	return c
}
