package leaseflow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// supersedes reports whether a write changes the record whose successor was
// inserted before: the next attempt, version or step of it, by a number that is
// one more. Who comes later finds that number taken, and does not get here.
func (p *program) supersedes(e *event, in insertion) bool {
	next, ok := in.record.(*ssa.Alloc)
	st := structUnder(in.record.Type())
	if !ok || st == nil {
		return false
	}
	for i := range st.NumFields() {
		for _, v := range p.fieldLiterals(next, i) {
			if old := onePlus(v, i); old != nil && types.Identical(old.Type(), next.Type()) && p.saves(e, old) {
				return true
			}
		}
	}
	return false
}

// fieldLiterals lists what is stored into field i of a variable, also by way of
// a literal that is copied into it.
func (p *program) fieldLiterals(a *ssa.Alloc, i int) []ssa.Value {
	out := fieldStores(a, i)
	for _, v := range p.storesTo(a) {
		if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
			if literal, ok := load.X.(*ssa.Alloc); ok && literal != a {
				out = slices.Concat(out, fieldStores(literal, i))
			}
		}
	}
	return out
}

// onePlus returns the record whose field i a value is one more than.
func onePlus(v ssa.Value, i int) ssa.Value {
	sum, ok := v.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD {
		return nil
	}
	if k, ok := sum.Y.(*ssa.Const); !ok || k.Value == nil || k.Value.ExactString() != "1" {
		return nil
	}
	load, ok := sum.X.(*ssa.UnOp)
	if !ok {
		return nil
	}
	if fa, ok := load.X.(*ssa.FieldAddr); ok && fa.Field == i {
		return fa.X
	}
	return nil
}
