package leaseflow

import "golang.org/x/tools/go/ssa"

// spilled returns the parameter that a variable is there to hold: one of struct
// type whose fields are asked for.
func spilled(alloc *ssa.Alloc) *ssa.Parameter {
	var param *ssa.Parameter
	for _, r := range *alloc.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == alloc {
			from, ok := st.Val.(*ssa.Parameter)
			if !ok || param != nil {
				return nil
			}
			param = from
		}
	}
	return param
}
