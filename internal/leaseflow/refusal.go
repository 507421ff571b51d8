package leaseflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// refuses reports whether every way from a block ends in an error made up on
// that way, not one handed on.
func refuses(b *ssa.BasicBlock) bool {
	return alwaysEnds(b, func(ret *ssa.Return) bool {
		switch err := errorOf(ret).(type) {
		case *ssa.Call:
			return makesError(err)
		case *ssa.MakeInterface:
			return true
		case *ssa.UnOp: // a sentinel
			_, global := err.X.(*ssa.Global)
			return global
		}
		return false
	})
}

// fails reports whether every way from a block ends in an error.
func fails(b *ssa.BasicBlock) bool {
	return alwaysEnds(b, func(ret *ssa.Return) bool { return errorOf(ret) != nil && !succeeds(ret) })
}

// succeeds reports a return whose error is nil.
func succeeds(ret *ssa.Return) bool {
	c, ok := errorOf(ret).(*ssa.Const)
	return ok && c.Value == nil
}

// errorOf returns what a function returns as its error; nil when it has none. A
// function that defers keeps its results in variables until the deferred calls
// have run.
func errorOf(ret *ssa.Return) ssa.Value {
	n := len(ret.Results)
	if n == 0 || !isError(ret.Results[n-1].Type()) {
		return nil
	}
	load, ok := ret.Results[n-1].(*ssa.UnOp)
	if !ok {
		return ret.Results[n-1]
	}
	for _, in := range slices.Backward(ret.Block().Instrs) {
		if st, ok := in.(*ssa.Store); ok && st.Addr == load.X {
			return st.Val
		}
	}
	return load
}

// alwaysEnds reports whether every way from a block ends in a return of the
// given kind.
func alwaysEnds(b *ssa.BasicBlock, kind func(*ssa.Return) bool) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var all func(b *ssa.BasicBlock) bool
	all = func(b *ssa.BasicBlock) bool {
		if seen[b] {
			return true
		}
		seen[b] = true
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			return kind(ret)
		}
		for _, s := range b.Succs {
			if !all(s) {
				return false
			}
		}
		return len(b.Succs) > 0
	}
	return all(b)
}

// makesError reports whether a call makes an error, as errors.New, fmt.Errorf
// and the like do, and does no work that may fail.
func makesError(call *ssa.Call) bool {
	fn := call.Call.StaticCallee()
	if fn == nil || fn.Name() == "Err" && fn.Signature.Recv() != nil { // that of a reply
		return false
	}
	return hasAny(map[string]bool{"error": true, "errorf": true, "err": true, "new": true, "newf": true, "wrap": true, "wrapf": true}, split(fn.Name()))
}
