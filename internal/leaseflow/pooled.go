package leaseflow

import (
	"go/types"
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/sqltext"
	"golang.org/x/tools/go/ssa"
)

// pooledSessions finds locks of a database session that are taken or freed on
// a pool: the two may run on different connections, and the pool may close the
// one that holds the lock.
func (p *program) pooledSessions(fn *ssa.Function, _ []*event) []Fault {
	var out []Fault
	calls(fn, func(call ssa.CallInstruction) {
		v := p.pooledText(call)
		if v == nil || p.singleConnection() {
			return
		}
		text, ok := p.text(v)
		if !ok {
			return
		}
		lock, ok := sessionLock(text)
		if !ok {
			return
		}
		f := Fault{Kind: SessionLockPooled, Pos: call.Pos(), API: lock.Func, Store: "sql", Certain: true}
		if lock.Kind == sqltext.Release {
			f.Variant = "release"
		}
		if !f.Pos.IsValid() {
			f.Pos = fn.Pos()
		}
		out = append(out, f)
	})
	return out
}

// sessionLock finds the one session lock call of a text. A text that takes and
// frees the lock runs on one connection.
func sessionLock(text string) (sqltext.LockCall, bool) {
	var found []sqltext.LockCall
	for _, st := range sqltext.Parse(text) {
		for _, l := range st.Locks {
			if l.Scope == sqltext.Session && l.Kind != sqltext.Check {
				found = append(found, l)
			}
		}
	}
	if len(found) == 0 || slices.ContainsFunc(found, func(l sqltext.LockCall) bool {
		return (l.Kind == sqltext.Release) != (found[0].Kind == sqltext.Release)
	}) {
		return sqltext.LockCall{}, false
	}
	return found[0], true
}

// pooledText returns the argument of a call that runs as SQL on a pool; nil if
// the call does not do that.
func (p *program) pooledText(call ssa.CallInstruction) ssa.Value {
	c := p.callee(call.Common())
	if row := p.rowWith(c, models.SQLExec, models.SQLQuery); row != nil {
		pl, ok := row.First("sql")
		if !ok || !c.hasRecv || len(c.args) == 0 || !p.isPool(c.args[0], 0) {
			return nil
		}
		return site{p, call, c, row}.value(pl)
	}
	if s := p.summaryOf(c); s != nil {
		for _, i := range s.Pooled {
			if i < len(c.args) {
				return c.args[i]
			}
		}
	}
	return nil
}

// pooledParams lists the parameters of fn that a pool runs as SQL.
func (p *program) pooledParams(fn *ssa.Function) []int {
	var out []int
	calls(fn, func(call ssa.CallInstruction) {
		v := p.pooledText(call)
		if v == nil {
			return
		}
		if t := p.term(v); t.Op == opParam && t.id == any(fn) && !slices.Contains(out, t.N) {
			out = append(out, t.N)
		}
	})
	slices.Sort(out)
	return out
}

// isPool reports whether a value is a pool of connections: its type hands out
// single ones. Behind an interface it is what the program puts there.
func (p *program) isPool(v ssa.Value, depth int) bool {
	if v == nil || depth > 6 {
		return false
	}
	if !types.IsInterface(v.Type()) {
		return p.poolType(v.Type()) && (!p.committable(v.Type()) || rooted(v))
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return p.isPool(v.X, depth+1)
	case *ssa.ChangeInterface:
		return p.isPool(v.X, depth+1)
	case *ssa.Extract, *ssa.Parameter, *ssa.Call:
		return false // whatever the caller chose
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.FieldAddr:
			return p.allPools(p.fields[fieldName(addr.X.Type(), addr.Field)], depth)
		case *ssa.Global:
			return p.allPools(p.globals[addr], depth)
		case *ssa.Alloc:
			return p.allPools(p.storesTo(addr), depth)
		}
	case *ssa.Field:
		return p.allPools(p.fields[fieldName(v.X.Type(), v.Field)], depth)
	}
	return false
}

// rooted reports whether a value that may be a pool or a transaction is kept in
// a field or variable, perhaps with settings added: a transaction is passed on.
func rooted(v ssa.Value) bool {
	for range 8 {
		switch x := v.(type) {
		case *ssa.Call:
			if x.Call.IsInvoke() || len(x.Call.Args) == 0 || !types.Identical(x.Call.Args[0].Type(), v.Type()) {
				return false
			}
			v = x.Call.Args[0]
		case *ssa.UnOp:
			switch x.X.(type) {
			case *ssa.FieldAddr, *ssa.Global:
				return true
			}
			return false
		default:
			return false
		}
	}
	return false
}

func (p *program) allPools(vals []ssa.Value, depth int) bool {
	for _, v := range vals {
		if !p.isPool(v, depth+1) {
			return false
		}
	}
	return len(vals) > 0
}

// poolType reports whether a method of a type hands out a connection.
func (p *program) poolType(t types.Type) bool {
	named := namedOf(t)
	if named == nil {
		return false
	}
	if known, ok := p.pools[named]; ok {
		return known
	}
	pool := false
	methods := types.NewMethodSet(types.NewPointer(named))
	for i := range methods.Len() {
		if m, ok := methods.At(i).Obj().(*types.Func); ok {
			for _, row := range p.cat.Match(m.Origin()) {
				if _, conn := row.First("conn"); conn && row.Role == models.Client {
					pool = true
				}
			}
		}
	}
	p.pools[named] = pool
	return pool
}

// singleConnection reports whether the package limits a pool to one connection.
func (p *program) singleConnection() bool {
	if p.oneConn == maybe {
		p.oneConn = no
		for _, fn := range p.fns {
			calls(fn, func(call ssa.CallInstruction) {
				c := p.callee(call.Common())
				row := p.rowWith(c, models.Option)
				if row == nil || row.Attr["verb"] != "connections" || len(c.args) < 2 {
					return
				}
				if k, ok := c.args[1].(*ssa.Const); ok && k.Value != nil && k.Value.ExactString() == "1" {
					p.oneConn = yes
				}
			})
		}
	}
	return p.oneConn == yes
}
