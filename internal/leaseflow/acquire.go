package leaseflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// unlocks are the numbers by which one and the same call gives a lock of the
// kernel up; they are the same on Linux, macOS and the BSDs.
var unlocks = map[string]string{"lock-un": "8", "f-unlck": "2"}

func (s site) acquire() []Effect {
	e := s.effect(Acquire)
	e.Owner = s.term("token", "owner", "value")
	e.Candidate = s.row.Candidate
	e.Gates = s.gates()
	if pl, ok := s.row.First("mode"); ok { // SET with a mode: a lock only when NX
		v := s.value(pl)
		mode := ""
		if len(pl.Path) > 0 {
			v = s.p.fieldValue(v, pl.Path)
		}
		if v != nil {
			mode, _ = s.p.term(v).constant()
		}
		if !strings.EqualFold(mode, "NX") {
			e.Kind = Write
			if mode != "" && !strings.EqualFold(mode, "XX") {
				e.Guard = Conditional
			}
			return []Effect{e}
		}
	}
	if pl, ok := s.row.First("how"); ok {
		v := s.value(pl)
		if len(pl.Path) > 0 && v != nil {
			v = s.p.fieldValue(v, pl.Path)
		}
		if c, ok := v.(*ssa.Const); ok && c.Value != nil && unlocks[s.row.Attr["release"]] == c.Value.ExactString() {
			return nil // the kernel frees what this process holds, and nothing else
		}
	}
	if pl, ok := s.row.First("flags"); ok && s.row.Store == "zookeeper" {
		if c, ok := s.value(pl).(*ssa.Const); ok && c.Value != nil {
			n, _ := constant.Int64Val(constant.ToInt(c.Value))
			e.Unique = n&2 != 0 // sequential
			e.NoExpiry = n&1 == 0
		}
	}
	if s.row.Store == "zookeeper" && len(s.row.Subject["token"]) > 0 {
		e.Unique = true
	}
	if s.row.Candidate {
		if pl, ok := s.row.First("ttl"); ok {
			v := s.value(pl)
			if len(pl.Path) > 0 {
				if set, _ := s.p.fieldSet(v, pl.Path); set == no {
					e.NoExpiry = true
				}
			} else if c, ok := v.(*ssa.Const); ok && (c.Value == nil || isZero(c)) {
				e.NoExpiry = true
			}
		}
		if s.row.Store == "file" {
			e.NoExpiry = true
		}
	}
	if s.row.Store == "file" && !s.row.Candidate {
		e.NoExpiry = true // the kernel owns it
	}
	e.Unfreed = s.row.Candidate && !e.NoExpiry && s.p.neverFreed()
	e.Origin = s.p.origin(e.Owner)
	return []Effect{e}
}

// gates returns the results that tell whether the call took the lease.
func (s site) gates() []int {
	if g := s.results("ok", "lost", "lockctx", "handle"); len(g) > 0 {
		return append(g, errorResults(s.c.signature())...)
	}
	return gateResults(s.c.signature())
}

func errorResults(sig *types.Signature) []int {
	var out []int
	if sig == nil {
		return nil
	}
	for i := range sig.Results().Len() {
		if isError(sig.Results().At(i).Type()) {
			out = append(out, i)
		}
	}
	return out
}

// gateResults are the errors and bools of a function, and for want of those
// its only result, which may wrap an error as command objects do.
func gateResults(sig *types.Signature) []int {
	out := errorResults(sig)
	if sig == nil {
		return nil
	}
	for i := range sig.Results().Len() {
		if isBool(sig.Results().At(i).Type()) {
			out = append(out, i)
		}
	}
	if len(out) == 0 && sig.Results().Len() == 1 {
		out = []int{0}
	}
	return out
}

// ambiguous resolves the sync.Locker interface by where its value was made.
func (s site) ambiguous() []Effect {
	recv := s.c.args[0]
	ctor := s.p.madeBy(recv, 0)
	if ctor == nil {
		return nil
	}
	k := Acquire
	if strings.Contains(s.c.obj.Name(), "nlock") {
		k = Release
	}
	e := s.effect(k)
	e.Store, e.Guard = ctor.row.Store, OwnerGuard
	e.Handle = s.p.term(recv)
	return []Effect{e}
}

// madeBy finds the lock constructor that made a handle.
func (p *program) madeBy(v ssa.Value, depth int) *site {
	if depth > 6 || v == nil {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Call:
		c := p.callee(&v.Call)
		if row := p.rowWith(c, models.LockCtor); row != nil {
			return &site{p, v, c, row}
		}
		if c.fn != nil {
			if ret := onlyReturn(c.fn); ret != nil && len(ret.Results) > 0 {
				return p.madeBy(ret.Results[0], depth+1)
			}
		}
	case *ssa.Extract:
		return p.madeBy(v.Tuple, depth+1)
	case *ssa.MakeInterface:
		return p.madeBy(v.X, depth+1)
	case *ssa.ChangeInterface:
		return p.madeBy(v.X, depth+1)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil
		}
		switch addr := v.X.(type) {
		case *ssa.FieldAddr:
			for _, val := range p.fields[fieldName(addr.X.Type(), addr.Field)] {
				if s := p.madeBy(val, depth+1); s != nil {
					return s
				}
			}
		case *ssa.Alloc:
			return p.madeBy(onlyStore(p.storesTo(addr)), depth+1)
		case *ssa.FreeVar:
			if b, ok := p.binding(addr).(*ssa.Alloc); ok {
				return p.madeBy(onlyStore(p.storesTo(b)), depth+1)
			}
		case *ssa.Global:
			return p.madeBy(onlyStore(p.globals[addr]), depth+1)
		}
	}
	return nil
}
