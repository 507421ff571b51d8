package leaseflow

import (
	"go/types"
	"reflect"
	"slices"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/internal/suppress"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Config is what an analysis depends on besides the code. Its facts are a pure
// function of both.
type Config struct {
	Catalogue   *models.Catalogue
	SharedPaths []string // files under these paths are shared stores
	Memo        *Memo    // may be nil
	// Trace, if set, gets notes for -v: functions that were skipped after a panic.
	Trace func(format string, args ...any)
}

// maxRounds bounds the rounds in which the functions of a package learn from
// each other.
const maxRounds = 6

// New returns the analysis for one configuration. All rules of a run must share
// the analyzer that it returns.
func New(cfg Config) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "leaseflow",
		Doc:        "find where leases are taken, checked, held and released\n\nThe rules of fencelint stand on it; it reports nothing itself.",
		Run:        func(pass *analysis.Pass) (any, error) { return run(pass, cfg) },
		FactTypes:  []analysis.Fact{(*Summary)(nil)},
		ResultType: reflect.TypeFor[*Result](),
	}
}

func run(pass *analysis.Pass, cfg Config) (res any, err error) {
	result := &Result{pass: pass, summaries: map[*types.Func]*Summary{}, ifaces: map[*types.Func]*Summary{}}
	result.Directives = suppress.Parse(pass.Fset, pass.Files)
	if !relevant(pass, cfg.Catalogue) {
		return result, nil
	}
	defer func() {
		if r := recover(); r != nil { // never crash a run: the package stays unjudged
			trace(cfg, "%s: skipped after a panic: %v", pass.Pkg.Path(), r)
			res, err = result, nil
		}
	}()
	p := newProgram(pass, cfg)
	p.annotate(result.Directives)
	all := p.solve()
	p.markStale(all)
	for _, fn := range p.fns {
		p.guarded(fn, func() { result.Writes = append(result.Writes, p.exposures(fn, all[fn])...) })
	}
	result.Writes = once(nearest(result.Writes))
	p.rank(result.Writes)
	result.Releases = p.unsafeReleases(p.pairs, all)
	renewals, releases := p.sharedNames(all, result.Writes)
	result.Writes = append(append(result.Writes, renewals...), p.madeUpNames()...)
	result.Releases = append(result.Releases, releases...)
	p.writes = result.Writes
	result.Faults = p.faults(all)
	p.publish(result)
	return result, nil
}

// relevant reports whether a package can hold or hide a lease: it, or what it
// imports, is in the models or has facts, or a function of the project takes
// another to run. Tests of the standard library and of packages without any of
// it cost a look at their imports.
func relevant(pass *analysis.Pass, cat *models.Catalogue) bool {
	if pass.Pkg.Path() == "unsafe" || isStd(pass) {
		return false
	}
	for _, f := range pass.AllObjectFacts() {
		if _, ok := f.Fact.(*Summary); ok {
			return true
		}
	}
	if cat.Knows(pass.Pkg.Path()) || slices.ContainsFunc(pass.Pkg.Imports(), func(imp *types.Package) bool {
		return cat.TakesLease(imp.Path()) || cat.Knows(imp.Path()) && !quiet(imp.Path())
	}) {
		return true
	}
	return pass.Module != nil && pass.Module.Version == "" && hasRunner(pass.Pkg)
}

// hasRunner reports whether a package declares a function or method that is
// given a function: it may run it again, or under a lease that it is given too.
func hasRunner(pkg *types.Package) bool {
	takesFunc := func(sig *types.Signature) bool {
		for v := range sig.Params().Variables() {
			if _, ok := v.Type().Underlying().(*types.Signature); ok {
				return true
			}
		}
		return false
	}
	for _, name := range pkg.Scope().Names() {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Func:
			if takesFunc(obj.Signature()) {
				return true
			}
		case *types.TypeName:
			if named, ok := obj.Type().(*types.Named); ok && !obj.IsAlias() {
				for m := range named.Methods() {
					if takesFunc(m.Signature()) {
						return true
					}
				}
			}
		}
	}
	return false
}

// quiet are packages of the standard library that the models know and that
// nearly everybody imports: they alone make no package relevant.
func quiet(path string) bool {
	switch path {
	case "time", "sync", "context", "os/signal", "io", "os", "crypto/rand", "math/rand", "math/rand/v2", "fmt", "encoding/json":
		return true
	}
	return false
}

func isStd(pass *analysis.Pass) bool {
	if !isStandard(pass.Pkg) {
		return false
	}
	return pass.Module == nil || pass.Module.Path == "" || pass.Module.Path == "std"
}

// solve lets the functions of the package learn from each other until nothing
// changes. Only functions that call something whose summary has changed are
// looked at again.
func (p *program) solve() map[*ssa.Function][]*event {
	all := map[*ssa.Function][]*event{}
	p.all = all
	dirty := map[*ssa.Function]bool{}
	for _, fn := range p.fns {
		dirty[fn] = true
	}
	for range maxRounds {
		for _, fn := range p.fns {
			if dirty[fn] {
				p.guarded(fn, func() {
					evs := p.events(fn)
					p.markRMW(fn, evs)
					p.markKept(fn, evs)
					p.markFresh(fn, evs)
					p.markSecured(fn, evs)
					all[fn] = evs
				})
			}
		}
		p.index(all)
		p.pairs = p.pair(all)
		changed := map[*ssa.Function]bool{}
		for _, fn := range p.fns {
			if !dirty[fn] && !p.touched[fn] {
				continue
			}
			p.guarded(fn, func() {
				s := p.summarise(fn, all[fn])
				if len(s.Effects) == 0 && len(s.Reads) == 0 && len(s.Pooled) == 0 && len(s.Makes) == 0 {
					s = nil
				}
				if str(p.sums[fn]) != str(s) {
					changed[fn] = true
				}
				p.sums[fn] = s
			})
		}
		methods := p.linkLocal()
		if len(changed) == 0 && len(methods) == 0 {
			break
		}
		dirty = map[*ssa.Function]bool{}
		for fn := range changed {
			for _, call := range p.callers[fn] {
				dirty[call.Parent()] = true
			}
			for user := range p.handed[fn] {
				dirty[user] = true
			}
			if parent := fn.Parent(); parent != nil { // called through a variable, or handed on
				dirty[parent] = true
			}
		}
		for m := range methods {
			for fn := range p.invokers[m] {
				dirty[fn] = true
			}
		}
	}
	return all
}

func str(s *Summary) string {
	if s == nil {
		return ""
	}
	return s.String()
}

// guarded runs f and survives a panic in it: that function is skipped.
func (p *program) guarded(fn *ssa.Function, f func()) {
	if p.broken[fn] {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			p.broken[fn] = true
			trace(p.cfg, "%s: function %s skipped after a panic: %v", p.pass.Pkg.Path(), shortName(fn), r)
		}
	}()
	f()
}

func trace(cfg Config, format string, args ...any) {
	if cfg.Trace != nil {
		cfg.Trace(format, args...)
	}
}

// publish hands the summaries to dependents and to Infer.
func (p *program) publish(result *Result) {
	give := func(obj *types.Func, s *Summary) {
		result.summaries[obj] = s
		if obj.Exported() {
			p.pass.ExportObjectFact(obj, s)
		}
	}
	for _, fn := range p.fns {
		s := p.sums[fn]
		obj, ok := fn.Object().(*types.Func)
		if s == nil || !ok || fn.Parent() != nil || p.said[obj] != nil {
			continue
		}
		give(obj, s)
	}
	for m, s := range p.ifaces {
		if p.said[m] == nil {
			result.ifaces[m] = s
			if m.Pkg() == p.pass.Pkg {
				p.pass.ExportObjectFact(m, s)
			}
		}
	}
	for obj, s := range p.said {
		result.annotated = append(result.annotated, obj.FullName())
		give(obj, s)
	}
}
