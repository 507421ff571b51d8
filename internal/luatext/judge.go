package luatext

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Writes returns the calls that change what is stored.
func (s Script) Writes() []Call { return s.filter(func(c Call) bool { return c.Kind().Mutates() }) }

// Deletes returns the calls that remove a key: DEL, UNLINK, GETDEL, DELEX,
// RENAME, EXPIRE of no time.
func (s Script) Deletes() []Call { return s.filter(func(c Call) bool { return c.Kind() == Delete }) }

// Prolongs returns the calls that change how long a key lives: EXPIRE and its
// kin, PERSIST, GETEX, and SET with XX.
func (s Script) Prolongs() []Call {
	return s.filter(func(c Call) bool { return c.Kind() == Prolong || c.Command == "SET" && c.XX })
}

// Acquires returns the calls that take a key that is free: SET with NX, SETNX,
// HSETNX, and writes and counters that run if the key was found absent.
func (s Script) Acquires() []Call {
	return s.filter(func(c Call) bool {
		switch c.Kind() {
		case Acquire:
			return true
		case Write, Counter:
			return c.Key.Kind != NoArg && anywhere(c.Guards, func(g Guard) bool { return absent(g) && sameKey(g.Key, c.Key) })
		}
		return false
	})
}

// KeyOnly returns the deletes and prolongs that trust the key alone. Not among
// them are those that are OwnerChecked or that Compare at least; those that run
// only if the key was free, as an EXPIRE after a successful SETNX; and the EXPIRE
// of a record that the script has just written.
func (s Script) KeyOnly() []Call {
	var out []Call
	for i, c := range s.Calls {
		prolongs := c.Kind() == Prolong || c.Command == "SET" && c.XX
		if c.Kind() != Delete && !prolongs || prolongs && written(s.Calls[:i], c.Key) {
			continue
		}
		free := func(g Guard) bool { return absent(g) && sameKey(g.Key, c.Key) }
		if !s.OwnerChecked(c) && !s.Compares(c) && !proves(c.Guards, free, never) {
			out = append(out, c)
		}
	}
	return out
}

// Compares reports whether a comparison of a value stored under the call's own
// key with an argument has a part in whether the call runs, be it on some paths
// only. It is the doubt that OwnerChecked does not have.
func (s Script) Compares(c Call) bool {
	return anywhere(c.Guards, func(g Guard) bool { return sameKey(g.Key, c.Key) && equalsArgument(g) })
}

// written reports whether one of the calls writes the key unconditionally or
// counts in it.
func written(calls []Call, key Arg) bool {
	for _, c := range calls {
		if k := c.Kind(); (k == Write || k == Counter) && sameKey(c.Key, key) {
			return true
		}
	}
	return false
}

func (s Script) filter(keep func(Call) bool) []Call {
	var out []Call
	for _, c := range s.Calls {
		if keep(c) {
			out = append(out, c)
		}
	}
	return out
}

// OwnerChecked reports whether the call runs only if the value stored under its
// own key, or a field of it, equals an argument of the script, or if a field or
// member is there that such an argument names. A value that is formatted into
// the script counts as an argument. Beside the equality an alternative may be
// that the key is absent: there is no owner then.
func (s Script) OwnerChecked(c Call) bool {
	if c.IfEq {
		return true
	}
	own := func(g Guard) bool { return sameKey(g.Key, c.Key) && equalsArgument(g) }
	free := func(g Guard) bool { return sameKey(g.Key, c.Key) && absent(g) }
	return proves(c.Guards, own, free)
}

// Fenced reports whether the call runs only if an argument of the script equals
// a stored value, or is not below it, whichever key holds that. That there is no
// such value yet may be an alternative.
func (s Script) Fenced(c Call) bool {
	pass := func(g Guard) bool {
		return equalsArgument(g) || (g.Op == "<" || g.Op == "<=") && isValue(g.Command) && isArgument(g.Other)
	}
	return c.IfEq || proves(c.Guards, pass, absent)
}

func never(Guard) bool { return false }

// proves reports whether one of the conjuncts satisfies ok, where alternatives
// must all satisfy ok or be excused, and one at least ok.
func proves(conjuncts []Guard, ok, excused func(Guard) bool) bool {
	for _, g := range conjuncts {
		switch g.Op {
		case "and":
			if proves(g.Any, ok, excused) {
				return true
			}
		case "or":
			hit, all := false, true
			for _, alternative := range g.Any {
				one := []Guard{alternative}
				switch {
				case proves(one, ok, excused):
					hit = true
				case !proves(one, excused, never):
					all = false
				}
			}
			if hit && all {
				return true
			}
		default:
			if ok(g) {
				return true
			}
		}
	}
	return false
}

func anywhere(guards []Guard, ok func(Guard) bool) bool {
	for _, g := range guards {
		if ok(g) || anywhere(g.Any, ok) {
			return true
		}
	}
	return false
}

func absent(g Guard) bool { return g.Op == "notexists" }

// isValue reports whether the command answers the value that is stored.
func isValue(command string) bool {
	kind, _ := Redis(command)
	switch command {
	case "TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME", "TYPE", "EXISTS", "STRLEN", "LLEN", "HLEN", "SCARD", "ZCARD", "DBSIZE":
		return false
	case "GETSET", "GETEX", "GETDEL":
		return true
	}
	return kind == Read
}

func equalsArgument(g Guard) bool {
	switch g.Op {
	case "==":
		return isValue(g.Command) && isArgument(g.Other)
	case "exists":
		return isArgument(g.Field)
	}
	return false
}

// isArgument reports whether the value comes from outside of the script.
func isArgument(a Arg) bool {
	switch a.Kind {
	case Argv:
		return true
	case Keys:
		return true // some scripts are given all their arguments as keys
	case Literal:
		return strings.ContainsRune(a.Text, hole)
	case Expr:
		return strings.Contains(a.Text, "ARGV[") || strings.ContainsRune(a.Text, hole)
	}
	return false
}

// sameKey reports whether two arguments may be one key. A KEYS element of
// unknown number may be any.
func sameKey(a, b Arg) bool {
	if a.Kind == Keys && b.Kind == Keys && (a.Index == 0 || b.Index == 0) {
		return true
	}
	return a.Kind != NoArg && a.Kind != Unknown && a == b
}
