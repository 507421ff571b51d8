package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// sayingNo returns the results of fn that tell its callers that it did not take
// a lease: of a bool that is false only beside an error, the error is enough.
func sayingNo(fn *ssa.Function) []int {
	gates := gateResults(fn.Signature)
	if len(errorResults(fn.Signature)) == 0 {
		return gates
	}
	return slices.DeleteFunc(gates, func(i int) bool {
		return isBool(fn.Signature.Results().At(i).Type()) && falseOnlyWithError(fn, i)
	})
}

func falseOnlyWithError(fn *ssa.Function, i int) bool {
	seen := false
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		seen = true
		last := ret.Results[len(ret.Results)-1]
		k, constant := ret.Results[i].(*ssa.Const)
		switch {
		case constant && !isZero(k): // it says yes
		case refusesWith(last):
		case constant && !isNil(last): // false, err
		default:
			return false
		}
	}
	return seen
}

// refusesWith reports an error that is made on the spot.
func refusesWith(err ssa.Value) bool {
	switch err := err.(type) {
	case *ssa.Call:
		c := err.Call.StaticCallee()
		return makesError(err) || c != nil && c.Name() == "Join"
	case *ssa.MakeInterface:
		return true
	case *ssa.UnOp:
		_, global := err.X.(*ssa.Global)
		return global
	}
	return false
}

func isNil(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value == nil
}
