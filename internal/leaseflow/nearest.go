package leaseflow

import (
	"cmp"
	"slices"
)

// nearest puts the ways to a write that begin closest to it first. Where a
// function takes a lease for its own writes and is called under another, its
// own is the one that was meant to protect them.
func nearest(xs []Exposure) []Exposure {
	slices.SortStableFunc(xs, func(a, b Exposure) int { return cmp.Compare(a.distance(), b.distance()) })
	return xs
}

// distance counts the calls between the region and the write.
func (x *Exposure) distance() int {
	if x.From == nil {
		return 0
	}
	return 1 + len(x.Via)
}
