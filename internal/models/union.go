package models

import (
	"cmp"
	"slices"
	"strings"
)

// Union returns the rows of several lists in one order, each once: rows are the
// same if they say the same of the same function, in note and all.
func Union(lists ...[]*Row) []*Row {
	compare := func(a, b *Row) int {
		return cmp.Or(strings.Compare(a.Pkg, b.Pkg), strings.Compare(a.Recv, b.Recv), strings.Compare(a.Name, b.Name), strings.Compare(a.Note, b.Note))
	}
	rows := slices.Concat(lists...)
	slices.SortStableFunc(rows, compare)
	return slices.CompactFunc(rows, func(a, b *Row) bool { return compare(a, b) == 0 })
}
