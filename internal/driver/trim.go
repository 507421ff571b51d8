package driver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/mod/modfile"
	modpath "golang.org/x/mod/module"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// trimmer parses the files of a load. Function bodies are kept only where the
// analysis looks into them: in the main module, in what patterns name, and in
// modules that use a lock client without being one. Of anything else the types
// are enough, and without its bodies a load takes a fraction of the memory.
type trimmer struct {
	roots    []string // directories below which everything is kept
	goroot   string
	modcache string
	clients  []string // packages of the catalogue through which leases are taken

	mu    sync.Mutex
	known map[string]bool // by directory of a module, or of a vendored package
}

func newTrimmer(env environment, cat *models.Catalogue, roots []string) *trimmer {
	t := &trimmer{roots: roots, goroot: env.goroot, modcache: env.modcache, known: map[string]bool{}}
	for _, row := range cat.Rows("") {
		first, _, _ := strings.Cut(row.Pkg, "/")
		if takesLock(row) && strings.Contains(first, ".") && (len(t.clients) == 0 || t.clients[len(t.clients)-1] != row.Pkg) {
			t.clients = append(t.clients, row.Pkg)
		}
	}
	return t
}

func (t *trimmer) parse(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	file, err := parser.ParseFile(fset, name, src, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
	if file != nil && !t.keeps(name) {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
		file.Comments = nil
	}
	return file, err
}

// keeps reports whether the bodies in a file are of use.
func (t *trimmer) keeps(name string) bool {
	for _, root := range t.roots {
		if rel, ok := below(root, name); ok && !strings.HasPrefix(rel, "vendor/") {
			return true
		}
	}
	if _, ok := below(filepath.Join(t.goroot, "src"), name); ok {
		return false
	}
	if rel, ok := below(t.modcache, name); ok {
		at := strings.Index(rel, "@")
		end := strings.Index(rel[at+1:], "/")
		if at < 0 || end < 0 {
			return true
		}
		return t.remember(filepath.Join(t.modcache, filepath.FromSlash(rel[:at+1+end])), t.usesClient)
	}
	return t.keepsVendored(filepath.Dir(name))
}

// keepsVendored asks a package that was vendored itself, as its module is not
// there whole. All else outside the cache of modules is of use.
func (t *trimmer) keepsVendored(dir string) bool {
	i := strings.LastIndex(filepath.ToSlash(dir), "/vendor/")
	return i < 0 || t.remember(dir, func(dir string) bool {
		return t.importsClient(dir, filepath.ToSlash(dir)[i+len("/vendor/"):])
	})
}

// keepsDir is keeps for a package of a module of which the version is known,
// but not where the cache is.
func (t *trimmer) keepsDir(dir, version string) bool {
	if version == "" {
		return true
	}
	if before, _, cached := strings.Cut(dir, "@"+version); cached {
		return t.remember(before+"@"+version, t.usesClient)
	}
	return t.keepsVendored(dir)
}

// Trim makes the flow analysis, in drivers that hand it all dependencies, look
// into no others than a run of its own does, so that both find the same. Facts
// of further packages pass through those that are left out.
func Trim(flow *analysis.Analyzer, cat *models.Catalogue) {
	t, run := newTrimmer(environment{}, cat, nil), flow.Run
	flow.Run = func(pass *analysis.Pass) (any, error) {
		if pass.Module != nil && len(pass.Files) > 0 {
			dir := filepath.Dir(pass.Fset.Position(pass.Files[0].Package).Filename)
			if !t.keepsDir(dir, pass.Module.Version) {
				return nothing(flow), nil
			}
		}
		return run(pass)
	}
}

// below returns the slash-separated path of name relative to dir, if it lies
// in there.
func below(dir, name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, dir)
	if dir == "" || !ok || rest == "" || rest[0] != filepath.Separator {
		return "", false
	}
	return filepath.ToSlash(rest[1:]), true
}

func (t *trimmer) remember(dir string, compute func(string) bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	keep, ok := t.known[dir]
	if !ok {
		keep = compute(dir)
		t.known[dir] = keep
	}
	return keep
}

// usesClient reports whether the module in dir requires a lock client and is
// none itself: what clients do is in the catalogue. A fork that replaces a
// client may do more.
func (t *trimmer) usesClient(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false // older than modules
	}
	mod, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil || mod.Module == nil || t.provides(mod.Module.Mod.Path) && !isFork(dir, mod.Module.Mod.Path) {
		return false
	}
	return slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool {
		return !r.Indirect && t.provides(r.Mod.Path)
	})
}

// isFork reports whether the module in dir, which ends with a version, came
// under another path than its own.
func isFork(dir, path string) bool {
	escaped, err := modpath.EscapePath(path)
	came, _, _ := strings.Cut(filepath.ToSlash(dir), "@")
	return err == nil && !strings.HasSuffix(came, "/"+escaped)
}

// provides reports whether a module holds a client package.
func (t *trimmer) provides(module string) bool {
	return slices.ContainsFunc(t.clients, func(pkg string) bool {
		return pkg == module || strings.HasPrefix(pkg, module+"/")
	})
}

// importsClient is usesClient for one vendored package.
func (t *trimmer) importsClient(dir, path string) bool {
	if slices.Contains(t.clients, path) {
		return false
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is valid
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range file.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil && slices.Contains(t.clients, imported) {
				return true
			}
		}
	}
	return false
}

// settle removes what trimming has broken: the soft errors of the type checker
// (unused imports, generic functions without a body), and with them the mark
// of being ill-typed.
func (t *trimmer) settle(pkgs []*packages.Package) {
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if !t.keepsPackage(pkg) {
			n := 0
			pkg.Errors = slices.DeleteFunc(pkg.Errors, func(e packages.Error) bool {
				if e.Kind != packages.TypeError || n >= len(pkg.TypeErrors) {
					return false
				}
				n++
				return pkg.TypeErrors[n-1].Soft
			})
		}
		pkg.IllTyped = len(pkg.Errors) > 0
		for _, imported := range pkg.Imports {
			pkg.IllTyped = pkg.IllTyped || imported.IllTyped
		}
	})
}

func (t *trimmer) keepsPackage(pkg *packages.Package) bool {
	return len(pkg.GoFiles) > 0 && t.keeps(pkg.GoFiles[0])
}

// prune takes the trimmed packages out of the graph, so that nobody analyses
// them, and lets go of their syntax.
func (t *trimmer) prune(pkgs []*packages.Package) {
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		for path, imported := range pkg.Imports {
			if !t.keepsPackage(imported) {
				delete(pkg.Imports, path)
			}
		}
		if !t.keepsPackage(pkg) {
			pkg.Syntax, pkg.TypesInfo = nil, nil
		}
	})
}

// takesLock reports whether a row is of a call that takes a lock by itself. A
// dependency that only uses a database or an object store hides no lease.
func takesLock(row *models.Row) bool {
	switch row.Role {
	case models.LockCtor, models.LockerCtor, models.SessionCtor, models.Acquire, models.TryAcquire, models.WithLock, models.Elect:
		return true
	}
	return false
}
