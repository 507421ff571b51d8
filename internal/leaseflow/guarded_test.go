package leaseflow

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A panic skips one function and is told; the others are looked at.
func TestPanicSkipsOneFunction(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "m.go", "package m\nfunc Bad() {}\nfunc Good() {}\n", 0)
	require.NoError(t, err)
	pkg := types.NewPackage("example.com/m", "m")
	built, _, err := ssautil.BuildPackage(&types.Config{Importer: importer.Default()}, fset, pkg, []*ast.File{file}, 0)
	require.NoError(t, err)
	var notes []string
	p := &program{
		pass: &analysis.Pass{Pkg: pkg, Fset: fset}, broken: map[*ssa.Function]bool{},
		cfg: Config{Trace: func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }},
	}
	visited := map[string]int{}
	for range 2 {
		for _, name := range []string{"Bad", "Good"} {
			p.guarded(built.Func(name), func() {
				visited[name]++
				if name == "Bad" {
					panic("boom")
				}
			})
		}
	}
	require.Equal(t, map[string]int{"Bad": 1, "Good": 2}, visited, "a broken function is not tried again")
	require.Equal(t, []string{"example.com/m: function Bad skipped after a panic: boom"}, notes)
}
