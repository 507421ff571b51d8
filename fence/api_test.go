package fence_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
)

// A lease cannot be asked whether it is still held: such an answer would look
// like protection.
func TestNoCheckInTheWorker(t *testing.T) {
	t.Parallel()
	allowed := map[reflect.Type]string{
		reflect.TypeFor[*fence.Lease]():  "Context Extend GoString Grant LogValue Release String",
		reflect.TypeFor[*fence.Client](): "Acquire Do TryAcquire",
		reflect.TypeFor[fence.Grant]():   "GoString LogValue String WellFormed",
		reflect.TypeFor[fence.Token]():   "String WellFormed",
		reflect.TypeFor[driver.Hold]():   "GoString Grant String",
	}
	for typ, want := range allowed {
		var got []string
		for i := range typ.NumMethod() {
			got = append(got, typ.Method(i).Name)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%v has methods %s; a new one must be no check: %s", typ, s, want)
		}
	}
}

// Every exported name of the module's own packages has a comment.
func TestEverythingIsDocumented(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{".", "driver", "memfence", "fencetest", "httpfence", "filefence", "sqlfence"} {
		fset := token.NewFileSet()
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		var files []*ast.File
		for _, p := range paths {
			if strings.HasSuffix(p, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		pkg, err := doc.NewFromFiles(fset, files, "x/"+dir)
		if err != nil {
			t.Fatal(err)
		}
		missing := func(name string) { t.Errorf("%s: %s has no comment", dir, name) }
		if pkg.Doc == "" {
			missing("the package")
		}
		for _, f := range pkg.Funcs {
			if f.Doc == "" {
				missing(f.Name)
			}
		}
		for _, v := range append(pkg.Consts, pkg.Vars...) {
			if v.Doc == "" && ast.IsExported(v.Names[0]) {
				missing(v.Names[0])
			}
		}
		for _, typ := range pkg.Types {
			if typ.Doc == "" && !groupDocumented(typ) {
				missing(typ.Name)
			}
			for _, f := range append(typ.Funcs, typ.Methods...) {
				if f.Doc == "" {
					missing(typ.Name + "." + f.Name)
				}
			}
			for _, v := range append(typ.Consts, typ.Vars...) {
				if v.Doc == "" && ast.IsExported(v.Names[0]) {
					missing(v.Names[0])
				}
			}
		}
	}
}

// groupDocumented reports whether a type in a group has a comment of its own.
func groupDocumented(typ *doc.Type) bool {
	for _, s := range typ.Decl.Specs {
		if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Name == typ.Name && ts.Doc.Text() != "" {
			return true
		}
	}
	return false
}
