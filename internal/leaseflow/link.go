package leaseflow

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
)

// linkLocal gives the interface methods that this package declares or uses the
// effects of the implementations that stand in the same package. It returns
// the methods whose effects have changed.
func (p *program) linkLocal() map[*types.Func]bool {
	impls := map[*types.Named][]*types.Func{}
	bySum := map[*types.Func]*Summary{}
	for _, fn := range p.fns {
		obj, ok := fn.Object().(*types.Func)
		if !ok || fn.Parent() != nil || fn.Signature.Recv() == nil || p.testFile(fn.Pos()) {
			continue
		}
		named := namedOf(fn.Signature.Recv().Type())
		if named == nil || looksLikeTest(named.Obj().Name()) {
			continue
		}
		impls[named] = append(impls[named], obj)
		bySum[obj] = p.sums[fn]
	}
	// in one order, as a summary keeps only so many effects
	order := slices.SortedFunc(maps.Keys(impls), func(a, b *types.Named) int { return p.inText(a.Obj().Pos(), b.Obj().Pos()) })
	var ifaces []*types.Named
	scope := p.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		if named, ok := tn.Type().(*types.Named); ok && named.TypeParams() == nil {
			if _, ok := named.Underlying().(*types.Interface); ok {
				ifaces = append(ifaces, named)
			}
		}
	}
	next := map[*types.Func]*Summary{}
	for _, in := range ifaces {
		it := in.Underlying().(*types.Interface)
		if it.NumMethods() == 0 {
			continue
		}
		for _, named := range order {
			if named.TypeParams() != nil || !types.Implements(types.NewPointer(named), it) {
				continue
			}
			for i := range it.NumMethods() {
				m := it.Method(i)
				if models.IsStub(m) || m.Pkg() != nil && m.Pkg() != p.pass.Pkg && isStandard(m.Pkg()) {
					continue
				}
				obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, p.pass.Pkg, m.Name())
				impl, ok := obj.(*types.Func)
				if !ok {
					continue
				}
				if s := bySum[impl]; s != nil {
					if next[m] == nil {
						next[m] = &Summary{}
					}
					merge(next[m], s, Dispatch{declaredIn(m), typeKey(named)})
				}
			}
		}
	}
	changed := map[*types.Func]bool{}
	for m, s := range next {
		sortEffects(s)
		if str(s) != str(p.ifaces[m]) {
			changed[m] = true
		}
	}
	p.ifaces = next
	return changed
}

// merge adds the effects of one implementation to those of an interface
// method: it acquires if any does, and writes as the worst one does.
func merge(dst, src *Summary, via Dispatch) {
	for _, e := range src.Effects {
		e.Inferred, e.Via = true, via
		dst.add(e)
	}
	for _, r := range src.Reads {
		if !slices.Contains(dst.Reads, r) {
			dst.Reads = append(dst.Reads, r)
		}
	}
	slices.Sort(dst.Reads)
}

// sortEffects makes the order independent of the order of implementations.
func sortEffects(s *Summary) {
	slices.SortStableFunc(s.Effects, func(a, b Effect) int {
		if c := int(a.Kind) - int(b.Kind); c != 0 {
			return c
		}
		return strings.Compare(a.At, b.At)
	})
}
