package leaseflow

import "golang.org/x/tools/go/ssa"

// refuses reports whether every way from a block ends in an error made up on
// that way, not one handed on.
func refuses(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var all func(b *ssa.BasicBlock) bool
	all = func(b *ssa.BasicBlock) bool {
		if seen[b] {
			return true
		}
		seen[b] = true
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			if len(ret.Results) == 0 {
				return false
			}
			last := ret.Results[len(ret.Results)-1]
			if !isError(last.Type()) {
				return false
			}
			switch last := last.(type) {
			case *ssa.Call:
				return makesError(last)
			case *ssa.MakeInterface:
				return true
			case *ssa.UnOp: // a sentinel
				_, global := last.X.(*ssa.Global)
				return global
			}
			return false
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
	return fn != nil && hasAny(map[string]bool{"error": true, "errorf": true, "err": true, "new": true, "newf": true, "wrap": true, "wrapf": true}, split(fn.Name()))
}
