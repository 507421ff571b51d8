package leaseflow

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// existence reads a compare of a key's revision with 0: its key, and "=" if the
// key is to be absent, "!=" or ">" if it is to be there. Any other compare has
// no operator here.
func (p *program) existence(v ssa.Value) (key Term, op string) {
	call, ok := v.(*ssa.Call)
	if !ok {
		return Term{}, ""
	}
	op, zero := "=", false
	for _, a := range call.Call.Args {
		if mi, ok := a.(*ssa.MakeInterface); ok {
			a = mi.X
		}
		switch a := a.(type) {
		case *ssa.Const:
			switch {
			case a.Value == nil:
			case a.Value.ExactString() == "0":
				zero = true
			case a.Value.Kind() == constant.String:
				op = constant.StringVal(a.Value)
			}
		case *ssa.Call:
			if c := p.callee(&a.Call); c.obj != nil && len(c.args) == 1 { // Version(key)
				key = p.term(c.args[0])
			}
		}
	}
	if !zero {
		return key, ""
	}
	return key, op
}

// asksPresence reports whether all that a transaction asks is that the key which
// it overwrites is there: so it is for the old and the new holder alike. With a
// delete of the key in its place, or of another key, it may well be a guard.
func (t *txnLinks) asksPresence(key Term) bool {
	return !t.unknown && t.conds > 0 && t.conds == len(t.present) && key.known() &&
		!slices.ContainsFunc(t.present, func(k Term) bool { return !k.Equal(key) && !sameShape(k, key) })
}
