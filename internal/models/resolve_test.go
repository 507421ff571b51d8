package models

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// unserved are the modules that testdata cannot require: the module proxy
// does not serve them or, as said, what it serves does not type-check alone.
var unserved = []string{
	"cirello.io/dynamolock/v2",
	"cirello.io/dynamolock/v5",
	"github.com/confluentinc/confluent-kafka-go/v2", // is cgo throughout
	"github.com/coreos/etcd",                        // wants a gRPC of years ago
	"github.com/jefferyjob/go-redislock",
	"github.com/mco-gh/gcslock",
	"github.com/rgalanakis/redsync",
	"github.com/scailio-oss/dlock",
	"github.com/square/mongo-lock",
	"github.com/vimeo/leaderelection",
	"go.etcd.io/etcd/clientv3", // the same as coreos/etcd
}

// ownModule begins the paths of the runtime library.
const ownModule = "github.com/fencelint/fencelint/fence"

// otherVersions are rows of functions that the served version lacks: they came
// later, or are declared elsewhere by now.
var otherVersions = []string{
	"github.com/jinzhu/gorm.DB.Connection",
	"github.com/hazelcast/hazelcast-go-client.NewLockContext",
	"github.com/olric-data/olric.DMap.CompareAndSwap",
	"github.com/go-gorp/gorp.SqlExecutor.UpdateColumns", // in forks that go by its path
	"github.com/go-gorp/gorp/v3.SqlExecutor.UpdateColumns",
}

func isUnserved(path string) bool {
	return slices.ContainsFunc(unserved, func(m string) bool {
		return path == m || strings.HasPrefix(path, m+"/")
	})
}

// TestClients holds the catalogue against the real packages. It reads the
// declarations of every client of testdata and of all that they import, which
// takes about a minute of one processor, more where go list is cold, and 2 GB
// of memory.
func TestClients(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads every client library")
	}
	c, err := Load()
	require.NoError(t, err)
	paths := slices.Clone(withoutRows)
	var own []string // of the runtime library, which testdata does not require
	for path := range c.pkgs {
		switch {
		case strings.HasPrefix(path, ownModule):
			own = append(own, path)
		case !isUnserved(path):
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	workspace, err := filepath.Abs("../../go.work")
	require.NoError(t, err)
	loaded := loadClients(t, "../../testdata", "off", paths...)
	maps.Copy(loaded, loadClients(t, "../../fence", workspace, own...))
	for _, path := range slices.Concat(paths, own) {
		require.Contains(t, loaded, path)
	}
	t.Run("rows", func(t *testing.T) { testRows(t, c, loaded) })
	t.Run("calls", func(t *testing.T) { testCalls(t, c, loaded) })
}

// testRows holds every row against its function: it must exist where the row
// says, Match must find the row from it, and every place must be within its
// signature.
func testRows(t *testing.T, c *Catalogue, loaded map[string]*types.Package) {
	var faults []string
	var rows, served, resolved int
	for _, path := range slices.Sorted(maps.Keys(c.pkgs)) {
		rows += len(c.lookup(path).rows)
		if loaded[path] == nil {
			continue
		}
		served += len(c.lookup(path).rows)
		for _, r := range c.lookup(path).rows {
			err := resolve(c, loaded[path], r)
			if err == nil {
				resolved++
			}
			if other := slices.Contains(otherVersions, r.String()); other && err == nil {
				faults = append(faults, r.String()+": is served by now")
			} else if err != nil && !other {
				faults = append(faults, fmt.Sprintf("%s: %s: %v", r.Source, r, err))
			}
		}
	}
	t.Logf("%d of %d rows are of clients that testdata requires; %d of these resolve", served, rows, resolved)
	require.Empty(t, faults)
}

// loadClients loads packages as a module and workspace see them, from the
// declarations in their sources: to compile what they import would take many
// times longer.
func loadClients(t *testing.T, module, workspace string, paths ...string) map[string]*types.Package {
	t.Helper()
	dir, err := filepath.Abs(module)
	require.NoError(t, err)
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax,
		Dir:       dir,
		Env:       append(os.Environ(), "GOWORK="+workspace, "GOFLAGS=-mod=readonly", "CGO_ENABLED=0"),
		ParseFile: parseDeclarations,
	}, paths...)
	require.NoError(t, err)
	loaded := make(map[string]*types.Package)
	for _, p := range pkgs {
		for _, e := range p.Errors {
			if e.Kind != packages.TypeError { // functions without bodies miss a return
				t.Errorf("%s: %v", p.PkgPath, e)
			}
		}
		if p.Types != nil {
			loaded[p.PkgPath] = p.Types
		}
	}
	return loaded
}

// parseDeclarations parses a file and empties its functions.
func parseDeclarations(fset *token.FileSet, filename string, src []byte) (*ast.File, error) {
	file, err := parser.ParseFile(fset, filename, src, parser.SkipObjectResolution)
	if file == nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			f.Body = &ast.BlockStmt{Lbrace: f.Body.Lbrace, Rbrace: f.Body.Rbrace}
		}
	}
	return file, err
}

func resolve(c *Catalogue, p *types.Package, r *Row) error {
	if r.Recv == "" {
		fn, ok := p.Scope().Lookup(r.Name).(*types.Func)
		if !ok {
			return fmt.Errorf("no such function")
		}
		return within(c, fn, r)
	}
	obj, ok := p.Scope().Lookup(r.Recv).(*types.TypeName)
	if !ok {
		return fmt.Errorf("no such type")
	}
	named := receiver(obj.Type())
	if r.Name == "" {
		sig, ok := named.Underlying().(*types.Signature)
		if !ok {
			return fmt.Errorf("no func type")
		}
		if !slices.Contains(c.MatchType(named, ""), r) {
			return fmt.Errorf("MatchType does not find it")
		}
		return placesWithin(named, sig, r)
	}
	for m := range methods(named) {
		if m.Name() == r.Name {
			return within(c, m, r)
		}
	}
	if iface, ok := named.Underlying().(*types.Interface); ok {
		for i := range iface.NumMethods() {
			if iface.Method(i).Name() == r.Name {
				return nil // declared by an embedded interface now, by this one in earlier versions
			}
		}
	}
	return fmt.Errorf("no such method is declared on the type")
}

// methods yields what the type itself declares.
func methods(named *types.Named) func(yield func(*types.Func) bool) {
	if iface, ok := named.Underlying().(*types.Interface); ok {
		return iface.ExplicitMethods()
	}
	return named.Methods()
}

func within(c *Catalogue, fn *types.Func, r *Row) error {
	if !slices.Contains(c.Match(fn), r) {
		return fmt.Errorf("Match does not find it from %s", fn.FullName())
	}
	var recv types.Type
	if v := fn.Signature().Recv(); v != nil {
		recv = v.Type()
	}
	return placesWithin(recv, fn.Signature(), r)
}

func placesWithin(recv types.Type, sig *types.Signature, r *Row) error {
	for word, places := range r.Subject {
		for _, p := range places {
			t := recv
			switch p.Root {
			case Arg, Result:
				tuple := sig.Params()
				if p.Root == Result {
					tuple = sig.Results()
				}
				if p.Index >= tuple.Len() {
					return fmt.Errorf("%s=%s: the signature is %s", word, p, sig)
				}
				t = tuple.At(p.Index).Type()
			}
			if t == nil {
				return fmt.Errorf("%s=%s: a function has no receiver", word, p)
			}
			for _, f := range p.Path {
				if t = step(t, f); t == nil {
					return fmt.Errorf("%s=%s: nothing is named %s", word, p, f)
				}
			}
		}
	}
	return nil
}

// step returns the type of a field of t or of what a method without
// arguments returns, nil if t has none of that name. A slice stands for its
// elements.
func step(t types.Type, name string) types.Type {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	switch obj := obj.(type) {
	case *types.Var:
		return obj.Type()
	case *types.Func:
		if sig := obj.Signature(); sig.Params().Len() == 0 && sig.Results().Len() > 0 {
			return sig.Results().At(0).Type()
		}
	}
	return nil
}
