package leaseflow

import (
	"encoding/json"
	"go/token"
	"go/types"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
)

// inferredMark begins the note of a row that Infer wrote. What follows is the
// whole effect, so that go vet sees an interface method as the run did that
// inferred it.
const inferredMark = "inferred: "

// Infer links the interfaces of the analysed packages to their
// implementations, wherever those stand, and returns one row for each effect
// of each method. Test doubles and in-memory implementations are left out.
func Infer(results []*Result) []*models.Row {
	var impls, ifaces []*types.Named
	sums, byName := map[*types.Func]*Summary{}, map[string]*Summary{}
	main := map[string]bool{}
	for _, r := range results {
		if r != nil && r.pass != nil {
			main[r.pass.Pkg.Path()] = true
		}
	}
	// A package and its variant with tests are two packages with types of their
	// own: an implementation matches the interface of the one that it imports.
	seen := map[*types.Package]bool{}
	var collect func(pkg *types.Package, fset *token.FileSet)
	collect = func(pkg *types.Package, fset *token.FileSet) {
		if seen[pkg] || !main[pkg.Path()] {
			return
		}
		seen[pkg] = true
		scope := pkg.Scope()
		for _, name := range scope.Names() {
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			named, ok := tn.Type().(*types.Named)
			if !ok || named.TypeParams() != nil || looksLikeTest(name) || strings.HasSuffix(fset.Position(tn.Pos()).Filename, "_test.go") {
				continue
			}
			if _, ok := named.Underlying().(*types.Interface); ok {
				ifaces = append(ifaces, named)
			} else if named.NumMethods() > 0 || embeds(named) {
				impls = append(impls, named)
			}
		}
		for _, imp := range pkg.Imports() {
			collect(imp, fset)
		}
	}
	for _, r := range results {
		if r == nil || r.pass == nil {
			continue
		}
		for fn, s := range r.summaries {
			sums[fn], byName[fn.FullName()] = s, s // of the variants of a package, the last
		}
		collect(r.pass.Pkg, r.pass.Fset)
	}
	annotated := map[string]bool{} // what the author said stands
	for _, r := range results {
		if r != nil {
			for _, name := range r.annotated {
				annotated[name] = true
			}
		}
	}
	var rows []*models.Row
	all := map[string]map[string]*Summary{} // by interface and method, over all variants
	for _, in := range ifaces {
		it := in.Underlying().(*types.Interface)
		key := in.Obj().Pkg().Path() + "." + in.Obj().Name()
		if all[key] == nil {
			all[key] = map[string]*Summary{}
		}
		merged := all[key]
		for _, named := range impls {
			if it.NumMethods() == 0 || inMemory(named) || !implements(named, it) {
				continue
			}
			for i := range it.NumMethods() {
				m := it.Method(i)
				if models.IsStub(m) {
					continue // all that a stub does is send
				}
				obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, m.Pkg(), m.Name())
				impl, ok := obj.(*types.Func)
				if !ok {
					continue
				}
				s := sums[impl]
				if s == nil {
					s = byName[impl.FullName()]
				}
				if s == nil {
					continue
				}
				if merged[m.Name()] == nil {
					merged[m.Name()] = &Summary{}
				}
				merge(merged[m.Name()], s, Dispatch{declaredIn(m), typeKey(named)})
			}
		}
	}
	for _, in := range ifaces {
		it := in.Underlying().(*types.Interface)
		merged := all[in.Obj().Pkg().Path()+"."+in.Obj().Name()]
		for i := range it.NumMethods() {
			m := it.Method(i)
			s := merged[m.Name()]
			if s == nil || annotated[m.FullName()] {
				continue
			}
			owner := in
			if m.Pkg() == nil || declaringInterface(m) == nil {
				continue
			}
			if d := declaringInterface(m); d != nil {
				owner = d
			}
			if owner.Obj() != in.Obj() && all[declaredIn(m)] != nil { // told there, of all that implement it
				continue
			}
			if isStandard(owner.Obj().Pkg()) && !main[owner.Obj().Pkg().Path()] {
				continue // what a Writer or Closer is elsewhere, the types of this module do not tell
			}
			sortEffects(s)
			rows = append(rows, rowsFor(owner, m, s)...)
		}
	}
	return models.Union(rows)
}

// declaringInterface returns the named interface that lists a method.
func declaringInterface(m *types.Func) *types.Named {
	recv := m.Signature().Recv()
	if recv == nil {
		return nil
	}
	return namedOf(recv.Type())
}

// isStandard reports a package that may be of the standard library: its path
// has no host.
func isStandard(pkg *types.Package) bool {
	first, _, _ := strings.Cut(pkg.Path(), "/")
	return !strings.Contains(first, ".")
}

// embeds reports a struct that may have methods by embedding.
func embeds(named *types.Named) bool {
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if st.Field(i).Embedded() {
			return true
		}
	}
	return false
}

func implements(named *types.Named, it *types.Interface) bool {
	return types.Implements(named, it) || types.Implements(types.NewPointer(named), it)
}

// inMemory reports a type whose name or package says that it is a test double
// or keeps its data in this process.
func inMemory(named *types.Named) bool {
	names := []string{named.Obj().Name()}
	if named.Obj().Pkg() != nil {
		names = append(names, named.Obj().Pkg().Name())
	}
	for _, n := range names {
		if looksLikeTest(n) {
			return true
		}
		for _, w := range split(n) {
			switch w {
			case "memory", "inmemory", "inmem", "mem", "noop", "nop", "dummy", "mock", "fake":
				return true
			}
		}
	}
	return false
}

var roleOf = map[Kind]models.Role{
	Acquire: models.Acquire, Release: models.Release, Renew: models.Extend, Check: models.Check,
	Write: models.Write, Read: models.Read, RunBody: models.Wrapper, Grant: models.Token,
}

func rowsFor(owner *types.Named, m *types.Func, s *Summary) []*models.Row {
	var out []*models.Row
	for _, e := range s.Effects {
		if e.Kind == Grant {
			continue
		}
		text, err := json.Marshal(portableEffect(e, s.Reads))
		if err != nil {
			continue
		}
		row := &models.Row{Pkg: owner.Obj().Pkg().Path(), Recv: owner.Obj().Name(), Name: m.Name(), Role: roleOf[e.Kind], Note: inferredMark + string(text)}
		if e.Kind == Acquire && e.Candidate {
			row.Candidate = true
		}
		if e.Key.Op == opParam && e.Key.N > 0 {
			row.Subject = map[string][]models.Place{"key": {{Root: models.Arg, Index: e.Key.N - 1}}}
		}
		out = append(out, row)
	}
	if len(out) == 0 && len(s.Reads) > 0 {
		text, _ := json.Marshal(portableEffect(Effect{Kind: Read, Verdict: -1, Func: -1}, s.Reads))
		out = append(out, &models.Row{Pkg: owner.Obj().Pkg().Path(), Recv: owner.Obj().Name(), Name: m.Name(), Role: models.Read, Note: inferredMark + string(text)})
	}
	return out
}

// wireEffect is an effect as an inferred row carries it.
type wireEffect struct {
	Effect
	Reads []int `json:",omitempty"`
}

func portableEffect(e Effect, reads []int) wireEffect { return wireEffect{e, reads} }

// inferred returns what inferred rows say of a function.
func (p *program) inferred(obj *types.Func) *Summary {
	var s *Summary
	for _, row := range p.rowsOf(obj) {
		text, ok := strings.CutPrefix(row.Note, inferredMark)
		if !ok {
			continue
		}
		var w wireEffect
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			trace(p.cfg, "%s: the note of an inferred row does not parse: %v", row.Source, err)
			continue
		}
		if s == nil {
			s = &Summary{Reads: w.Reads}
		}
		s.add(w.Effect)
	}
	return s
}
