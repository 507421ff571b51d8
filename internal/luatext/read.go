package luatext

import "strconv"

// presence are the commands whose number tells that something is there;
// absence those whose number tells that it was not.
var (
	presence = map[string]bool{"EXISTS": true, "HEXISTS": true, "SISMEMBER": true, "DEL": true, "UNLINK": true}
	absence  = map[string]bool{"SETNX": true, "HSETNX": true, "MSETNX": true}
)

// answers are the commands whose answer is false for what is not there.
var answers = map[string]bool{
	"GET": true, "GETEX": true, "GETDEL": true, "GETSET": true, "MGET": true, "HGET": true, "HMGET": true, "LINDEX": true,
	"LPOP": true, "RPOP": true, "ZSCORE": true, "ZRANK": true, "JSON.GET": true, "DUMP": true, "SPOP": true, "HGETALL": true,
}

func newRead(c Call) *read {
	r := &read{command: c.Command, key: c.Key, nx: c.NX}
	switch c.Command {
	case "HGET", "HEXISTS", "SISMEMBER", "ZSCORE", "ZRANK", "HSETNX", "HINCRBY", "JSON.GET":
		if len(c.Args) > 1 {
			r.field = c.Args[1]
		}
	case "HMGET":
		r.fields, r.list = c.Args[min(1, len(c.Args)):], true
	case "MGET":
		r.keys, r.list = c.Args, true
	}
	return r
}

func (r *read) guard(op string, other Arg) *formula {
	return atom(Guard{Key: r.key, Field: r.field, Op: op, Other: other, Command: r.command})
}

func (r *read) present(yes bool) *formula {
	if yes {
		return r.guard("exists", Arg{})
	}
	return r.guard("notexists", Arg{})
}

// truth is when the answer is neither nil nor false.
func (r *read) truth() *formula {
	switch {
	case r.list || presence[r.command] || absence[r.command]:
		return constant(true) // a table or a number, also when nothing is there
	case r.command == "SET" && r.nx:
		return r.present(false)
	case answers[r.command]:
		return r.present(true)
	}
	return r.guard("truthy", Arg{})
}

func (r *read) compare(op string, other value) *formula {
	equal := op == "=="
	if r.missing.Kind == Literal && r.missing == other.arg && (equal || op == "~=") {
		return r.present(!equal)
	}
	if other.word && (equal || op == "~=") {
		f := r.truth()
		if r.list || presence[r.command] || absence[r.command] {
			return unknown()
		}
		if (other.arg.Text == "true") != equal {
			f = not(f)
		}
		return f
	}
	if r.command == "SET" && r.nx && other.arg.Kind == Literal && (equal || op == "~=") { // "OK"
		return r.present(!equal)
	}
	if presence[r.command] || absence[r.command] {
		if positive, ok := counts(op, other.arg); ok {
			return r.present(positive == presence[r.command])
		}
	}
	if r.command == "TTL" || r.command == "PTTL" {
		if n, err := strconv.Atoi(other.arg.Text); other.arg.Kind == Literal && err == nil && n == -2 && (equal || op == "~=") {
			return r.present(!equal)
		}
	}
	arg := other.arg
	if arg.Kind == NoArg {
		arg.Kind = Unknown
	}
	return r.guard(op, arg)
}

// counts tells whether a comparison of a count says that it is positive.
func counts(op string, other Arg) (positive, ok bool) {
	n, err := strconv.Atoi(other.Text)
	if other.Kind != Literal || err != nil {
		return false, false
	}
	switch {
	case n == 0 && (op == ">" || op == "~="), n >= 1 && (op == "==" || op == ">="):
		return true, true
	case n == 0 && (op == "==" || op == "<="), n == 1 && (op == "<" || op == "~="):
		return false, true
	}
	return false, false
}
