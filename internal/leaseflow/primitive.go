package leaseflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

const (
	roleUnwrap   = models.Unwrap
	roleRandomID = models.RandomID
)

// rowsOf returns what the models say of a function, by name or else by shape.
func (p *program) rowsOf(obj *types.Func) []*models.Row {
	if obj == nil {
		return nil
	}
	rows, ok := p.rows[obj]
	if !ok {
		rows = p.cat.Match(obj)
		if rows == nil && (obj.Pkg() != p.pass.Pkg || isInterfaceMethod(obj) || models.IsStub(obj)) { // a body in sight says more than a shape, unless it only sends
			rows = p.cat.MatchShape(obj)
		}
		p.rows[obj] = rows
	}
	return rows
}

func isInterfaceMethod(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

func (p *program) isRow(c callee, role models.Role) bool {
	return slices.ContainsFunc(p.rowsOf(c.obj), func(r *models.Row) bool { return r.Role == role })
}

// rowWith returns the first row of the call with one of the roles.
func (p *program) rowWith(c callee, roles ...models.Role) *models.Row {
	for _, r := range p.rowsOf(c.obj) {
		if slices.Contains(roles, r.Role) {
			return r
		}
	}
	return nil
}

// site is one call as the models see it.
type site struct {
	p    *program
	call ssa.CallInstruction
	c    callee
	row  *models.Row
}

// value returns what the call carries at a place: an argument, or a result.
func (s site) value(pl models.Place) ssa.Value {
	var v ssa.Value
	switch pl.Root {
	case models.Recv:
		if !s.c.hasRecv || len(s.c.args) == 0 {
			return nil
		}
		v = s.c.args[0]
	case models.Arg:
		i := pl.Index
		if s.c.hasRecv {
			i++
		}
		if i >= len(s.c.args) {
			return nil
		}
		v = s.c.args[i]
	default:
		if call, ok := s.call.(*ssa.Call); ok {
			return resultValue(call, pl.Index)
		}
		return nil
	}
	return v
}

// term names what the call carries at the first place of a word.
func (s site) term(words ...string) Term {
	for _, w := range words {
		for _, pl := range s.row.Subject[w] {
			v := s.value(pl)
			if v == nil {
				continue
			}
			if len(pl.Path) == 0 {
				if w == "keys" || w == "cmds" {
					if es, _ := s.p.elements(v); len(es) > 0 && es[0] != nil {
						return s.p.term(es[0])
					}
				}
				return s.p.term(v)
			}
			if f := s.p.fieldValue(v, pl.Path); f != nil {
				if isDocType(f.Type()) { // a compound key says less than its table
					if w != "table" {
						if t := s.term("table"); t.known() {
							return t
						}
					}
				}
				return s.p.term(f)
			}
			return Term{Op: opField, Text: pl.Path[len(pl.Path)-1], Args: []Term{s.p.term(v)}}
		}
	}
	return Term{}
}

func (s site) results(words ...string) []int {
	var out []int
	for _, w := range words {
		for _, pl := range s.row.Subject[w] {
			if pl.Root == models.Result {
				out = append(out, pl.Index)
			}
		}
	}
	return out
}

func (s site) effect(k Kind) Effect {
	e := Effect{
		Kind: k, API: s.c.obj.Name(), Store: s.row.Store, Verdict: -1, Func: -1,
		At: s.p.position(s.call.Pos()), Within: shortName(s.call.Parent()),
		Key: s.term("key", "keys", "lockid", "id", "table", "topic", "queue", "url"), Handle: s.term("handle", "locker", "map", "session", "lease"),
	}
	if pos := s.call.Pos(); !pos.IsValid() {
		e.At = s.p.position(s.call.Parent().Pos())
	}
	return e
}

// primitives returns the effects that the models give to a call.
func (p *program) primitives(call ssa.CallInstruction, c callee) []Effect {
	var out []Effect
	for _, row := range p.rowsOf(c.obj) {
		if strings.HasPrefix(row.Source, "shape:") && p.ifaces[c.obj] != nil {
			continue // the implementations are in sight
		}
		if _, inferred := strings.CutPrefix(row.Note, inferredMark); !inferred {
			out = append(out, p.primitive(site{p, call, c, row})...)
		}
	}
	if c.obj == nil && c.fn == nil && c.value != nil { // a call through a field of a named func type
		if named := namedOf(c.value.Type()); named != nil {
			for _, row := range p.cat.MatchType(named, "") {
				e := Effect{Kind: Write, API: named.Obj().Name(), Store: row.Store, Verdict: -1, Func: -1, At: p.position(call.Pos()), Within: shortName(call.Parent())}
				if row.Role == models.Read {
					e.Kind = Read
				}
				out = append(out, e)
			}
		}
	}
	return out
}

func (p *program) primitive(s site) []Effect {
	if _, link := s.row.First("builder"); link { // the effect is where the chain is run
		return nil
	}
	switch s.row.Role {
	case models.Acquire, models.TryAcquire:
		return s.acquire()
	case models.Ambiguous:
		return s.ambiguous()
	case models.Release:
		e := s.effect(Release)
		e.Guard, e.Owner = OwnerGuard, s.term("owner", "token")
		if s.row.KeyOnly {
			e.Guard, e.Unsafe = Unguarded, true
		}
		return []Effect{e}
	case models.Extend:
		return s.extend()
	case models.Check:
		return s.check()
	case models.Read:
		e := s.effect(Read)
		if doc := s.term("filter"); !e.Key.known() {
			e.Key = doc
		}
		switch s.row.Attr["verb"] {
		case "fence": // locks the guard for the rest of a transaction
			e.Tx, e.Handle = true, s.term("tx")
		case "record":
			e.Lock = true
		}
		return []Effect{e}
	case models.Write, models.CWrite, models.External:
		if _, ok := s.row.First("req"); ok && s.row.Store == "http" {
			return s.request()
		}
		return s.write()
	case models.TokenSource:
		e := s.effect(Write)
		e.Action = Increment
		return []Effect{e}
	case models.SQLExec, models.SQLQuery:
		return s.sql(s.row.Role == models.SQLQuery)
	case models.Command:
		return s.command()
	case models.Script:
		return s.script()
	case models.Txn:
		return s.txn()
	case models.TxCommit:
		return s.commit()
	case models.WithLock:
		return s.body(true)
	case models.Wrapper:
		return s.body(false)
	case models.Elect, models.LockCtor, models.Callback:
		return s.elect()
	case models.Token:
		e := s.effect(Grant)
		return []Effect{e}
	}
	return nil
}

func (s site) extend() []Effect {
	if s.row.KeyOnly {
		e := s.effect(Write)
		e.Action = Prolong
		return []Effect{e}
	}
	e := s.effect(Renew)
	e.Guard, e.Candidate = OwnerGuard, s.row.Candidate
	c := s.effect(Check)
	c.Check = ExtendCheck
	c.Candidate = s.row.Candidate
	c.Verdict = 0
	if g := gateResults(s.c.signature()); len(g) > 0 {
		c.Gates = g
		c.Verdict = g[0]
	}
	return []Effect{e, c}
}

func (s site) check() []Effect {
	e := s.effect(Check)
	e.Gates = s.results("verdict", "ttl", "expiry", "lost", "lockctx", "leader", "elected")
	e.Check = OwnerCheck
	switch {
	case len(s.results("ttl", "expiry")) > 0:
		e.Check = TTLRemaining
	case len(s.results("lost", "lockctx")) > 0:
		e.Check = LostSignal
	}
	_, byCtx := s.row.Subject["ctx"]
	_, byKey := s.row.Subject["key"]
	_, byKeys := s.row.Subject["keys"]
	e.Candidate = byCtx || byKey || byKeys // of anything: a check of a lease only if the key or context is a lock's
	if byCtx {
		e.Check = LostSignal
		e.Handle = s.term("ctx")
	}
	if len(e.Gates) == 0 {
		e.Gates = []int{0}
	}
	e.Verdict = e.Gates[0]
	return []Effect{e}
}

// body is a call that runs its func argument.
func (s site) body(held bool) []Effect {
	pl, ok := s.row.First("body")
	if !ok || pl.Root != models.Arg {
		return nil
	}
	e := s.effect(RunBody)
	e.Handle.v = nil // the func stands among the arguments, the handle is the lock's
	e.Held = held
	e.Func = pl.Index
	if s.c.hasRecv {
		e.Func++
	}
	return []Effect{e}
}

// elect is a call that runs callbacks as leader. The callback may sit in a
// field of a config struct.
func (s site) elect() []Effect {
	pl, ok := s.row.First("cb")
	if !ok {
		pl, ok = s.row.First("body")
	}
	if !ok {
		return nil
	}
	e := s.effect(RunBody)
	e.Held = s.row.Role != models.Callback
	e.Func = pl.Index
	if pl.Root == models.Arg && s.c.hasRecv {
		e.Func++
	}
	if v := s.value(pl); v != nil && len(pl.Path) > 0 {
		if f := s.p.fieldValue(v, pl.Path); f != nil {
			e.Handle = s.p.term(f)
			e.Handle.v = f
		} else {
			return nil
		}
	}
	return []Effect{e}
}

// popWords name commands that take an element out of a list or set.
var popWords = map[string]bool{"pop": true, "lpop": true, "rpop": true, "spop": true, "zpop": true, "zpopmin": true, "zpopmax": true}

// actionOf reads the action off a method's name and the row's verb.
func actionOf(row *models.Row, name string) Action {
	switch row.Attr["verb"] {
	case "delete":
		return Delete
	case "prolong":
		return Prolong
	case "insert":
		return Insert
	}
	words := split(name)
	if len(words) == 0 {
		return Overwrite
	}
	if row.Role == models.External {
		return Send
	}
	lower := strings.ToLower(name)
	switch {
	case row.Store == "redis" && (strings.HasPrefix(lower, "zrem") || strings.HasPrefix(lower, "xtrim") || lower == "xdel"):
		return Delete
	case row.Store == "redis" && hasAny(popWords, words) && !strings.HasSuffix(lower, "push"):
		return Take
	case slices.Contains(words, "delete") || slices.Contains(words, "remove") || slices.Contains(words, "purge") || strings.HasPrefix(lower, "del") || strings.HasPrefix(lower, "unlink") || lower == "getdel" || strings.HasSuffix(lower, "rem"):
		return Delete
	case strings.HasPrefix(lower, "expire") || strings.HasPrefix(lower, "pexpire") || lower == "touch" || lower == "persist":
		return Prolong
	case strings.HasPrefix(lower, "incr") || strings.HasPrefix(lower, "decr") || strings.Contains(lower, "incrby") || strings.HasPrefix(lower, "append"):
		return Increment
	case strings.HasPrefix(lower, "create") || strings.HasPrefix(lower, "insert") || strings.HasSuffix(lower, "push") || lower == "xadd" || lower == "sadd" || lower == "zadd":
		return Insert
	}
	return Overwrite
}

// write is a change whose condition, if any, stands in its arguments.
func (s site) write() []Effect {
	e := s.effect(Write)
	e.Owner = s.term("cond", "owner")
	e.Action = actionOf(s.row, s.c.obj.Name())
	e.Weak = s.row.Attr["verb"] == "notify" || // lost for whoever does not listen
		s.row.Attr["verb"] == "insert" && s.row.Store == "sql" // a mapper's: the schema may well refuse a second one
	e.byName(s.c.obj.Name())
	_, e.Fixed = s.term("value").constant()
	e.Guard = s.guard()
	e.Token = e.Guard == Unguarded && s.carriesToken()
	if pl, ok := s.row.First("method"); ok && s.row.Store == "http" {
		if m := s.value(pl); m != nil {
			e.byMethod(s.p.term(m))
		}
		if e.Kind == Read {
			return []Effect{e}
		}
	}
	if s.row.Store == "file" {
		if pl, ok := s.row.First("flags"); ok {
			if c, ok := s.value(pl).(*ssa.Const); ok {
				if n, ok := constant.Int64Val(constant.ToInt(c.Value)); ok {
					if n&int64(os.O_EXCL) != 0 {
						e.Kind, e.Candidate, e.NoExpiry = Acquire, true, true
						e.Gates = errorResults(s.c.signature())
						return []Effect{e}
					}
					if n&int64(os.O_WRONLY|os.O_RDWR) == 0 {
						return nil
					}
				}
			}
		}
	}
	if e.Action == Delete {
		e.Row = s.item("key")
	}
	if out := s.mongoLock(&e); out != nil {
		return out
	}
	if out := s.modelLock(&e); out != nil {
		return out
	}
	out := []Effect{e}
	if e.Action == Take { // and hands it to the caller
		r := s.effect(Read)
		r.Action = Take
		out = append(out, r)
	}
	// a create-only write under a condition is also how hand-made locks are taken
	if e.Guard == Conditional && e.Action != Delete && s.createsOrTakes() {
		a := e
		a.Kind, a.Candidate = Acquire, true
		a.Owner = s.term("value")
		a.Row = s.item("item", "key")
		a.Gates = s.gates()
		a.Guard = Unguarded
		a.Lasting = s.lasts(a.Row)
		out = append(out, a)
	}
	if pl, ok := s.row.First("body"); ok && pl.Root == models.Arg {
		b := s.effect(RunBody)
		b.Func = pl.Index
		if s.c.hasRecv {
			b.Func++
		}
		out = append(out, b)
	}
	return out
}

// position names a place for facts: by import path and base name, so that a
// fact is the same wherever the code lies.
func (p *program) position(pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	at := p.pass.Fset.Position(pos)
	at.Filename = p.pass.Pkg.Path() + "/" + filepath.Base(at.Filename)
	return at.String()
}

// shortName names a function for messages: Type.Method or function.
func shortName(fn *ssa.Function) string {
	r := root(fn)
	if recv := r.Signature.Recv(); recv != nil {
		if n := namedOf(recv.Type()); n != nil {
			return n.Obj().Name() + "." + r.Name()
		}
	}
	return r.Name()
}
