package fence_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
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

// Every exported name has a comment. That of a function or method that can fail
// says how, and that of a type with methods, or of its package, says whether it
// may be used concurrently.
func TestEverythingIsDocumented(t *testing.T) {
	t.Parallel()
	for _, dir := range packages(t) {
		p := parse(t, dir)
		d := &docs{T: t, dir: dir, pkg: p}
		d.text("the package", p.Doc)
		for _, f := range p.Funcs {
			d.function(f.Name, f)
		}
		d.values(append(p.Consts, p.Vars...))
		for _, typ := range p.Types {
			d.typ(typ)
		}
	}
}

// packages are the directories of the module that others can import.
func packages(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); e.Name() == "internal" || path != "." && err == nil {
			return fs.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 {
			dirs = append(dirs, path)
		}
		return nil
	})
	if err != nil || len(dirs) < 7 {
		t.Fatalf("packages %v: %v", dirs, err)
	}
	return dirs
}

// parse reads the documentation of one package.
func parse(t *testing.T, dir string) *doc.Package {
	t.Helper()
	fset := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, "x/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// docs looks at the comments of one package.
type docs struct {
	*testing.T
	dir string
	pkg *doc.Package
}

func (d *docs) text(name, comment string) {
	if strings.TrimSpace(comment) == "" {
		d.Errorf("%s: %s has no comment", d.dir, name)
	}
}

// fails are the words by which a comment may tell of errors, or refer to the
// interface whose comment does.
var fails = regexp.MustCompile(`[Ee]rror|Err[A-Z]|implements|InvalidError`)

func (d *docs) function(name string, f *doc.Func) {
	d.text(name, f.Doc)
	d.errors(name, f.Decl.Type, f.Doc)
}

func (d *docs) errors(name string, typ *ast.FuncType, comment string) {
	if typ.Results == nil {
		return
	}
	for _, r := range typ.Results.List {
		if id, ok := r.Type.(*ast.Ident); ok && id.Name == "error" && !fails.MatchString(comment) {
			d.Errorf("%s: %s does not say how it fails", d.dir, name)
		}
	}
}

func (d *docs) values(groups []*doc.Value) {
	for _, g := range groups {
		for _, s := range g.Decl.Specs {
			v := s.(*ast.ValueSpec)
			if v.Names[0].IsExported() {
				d.text(v.Names[0].Name, g.Doc+v.Doc.Text()+v.Comment.Text())
			}
		}
	}
}

func (d *docs) typ(typ *doc.Type) {
	comment := typ.Doc
	for _, s := range typ.Decl.Specs {
		if ts := s.(*ast.TypeSpec); ts.Name.Name == typ.Name {
			comment += ts.Doc.Text() // of its own in a group
			d.parts(typ.Name, ts.Type)
		}
	}
	d.text(typ.Name, comment)
	stateful := false
	for _, m := range typ.Methods {
		d.function(typ.Name+"."+m.Name, m)
		stateful = stateful || strings.HasPrefix(m.Recv, "*") && m.Name != "Error" && m.Name != "Is"
	}
	if stateful && !strings.Contains(comment+d.pkg.Doc, "concurren") && !strings.Contains(comment, "one goroutine") {
		d.Errorf("%s: %s does not say whether it may be used concurrently", d.dir, typ.Name)
	}
	for _, f := range typ.Funcs {
		d.function(f.Name, f)
	}
	d.values(append(typ.Consts, typ.Vars...))
}

// parts are the fields of a struct, or the methods of an interface.
func (d *docs) parts(name string, typ ast.Expr) {
	var list *ast.FieldList
	switch typ := typ.(type) {
	case *ast.StructType:
		list = typ.Fields
	case *ast.InterfaceType:
		list = typ.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			comment := f.Doc.Text() + f.Comment.Text()
			if id.IsExported() {
				d.text(name+"."+id.Name, comment)
			}
			if m, ok := f.Type.(*ast.FuncType); ok && id.IsExported() {
				if _, method := typ.(*ast.InterfaceType); method {
					d.errors(name+"."+id.Name, m, comment)
				}
			}
		}
	}
}
