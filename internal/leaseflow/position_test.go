package leaseflow

import (
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
)

func TestParsePosition(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]token.Position{
		"example.com/m/a.go:12:3": {Filename: "example.com/m/a.go", Line: 12, Column: 3},
		`C:\m\a.go:1:1`:           {Filename: `C:\m\a.go`, Line: 1, Column: 1},
		"a:b.go:7:9":              {Filename: "a:b.go", Line: 7, Column: 9},
		"":                        {},
		"a.go":                    {},
		"a.go:12":                 {},
	} {
		require.Equal(t, want, parsePosition(in), "%q", in)
	}
}

func FuzzParsePosition(f *testing.F) {
	f.Add("a.go", 1, 1)
	f.Add("", 0, 0)
	f.Add("C:\\x:1:2", 3, 4)
	f.Fuzz(func(t *testing.T, file string, line, column int) {
		parsePosition(file) // whatever it is, it does no harm
		got := parsePosition(fmt.Sprintf("%s:%d:%d", file, line, column))
		require.Equal(t, token.Position{Filename: file, Line: line, Column: column}, got)
		require.Equal(t, strings.Count(file, ":"), strings.Count(got.Filename, ":"))
	})
}

// TestInText orders places by the names of their files, whichever was read first.
func TestInText(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"a.go", "b.go"}, {"b.go", "a.go"}} {
		fset := token.NewFileSet()
		files := map[string]*token.File{}
		for _, name := range names {
			files[name] = fset.AddFile(name, -1, 100)
		}
		p := &program{pass: &analysis.Pass{Fset: fset}}
		require.Negative(t, p.inText(files["a.go"].Pos(50), files["b.go"].Pos(10)), "%v", names)
		require.Positive(t, p.inText(files["b.go"].Pos(10), files["a.go"].Pos(50)), "%v", names)
		require.Negative(t, p.inText(files["b.go"].Pos(10), files["b.go"].Pos(20)), "%v", names)
	}
}
