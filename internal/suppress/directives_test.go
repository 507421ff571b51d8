package suppress

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// source is a parsed file whose lines can be asked for by a word on them.
type source struct {
	*Directives
	t    *testing.T
	file *ast.File
	tok  *token.File
	text string
}

func parse(t *testing.T, text string) source {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", text, parser.ParseComments)
	require.NoError(t, err)
	return source{Parse(fset, []*ast.File{file}), t, file, fset.File(file.Pos()), text}
}

// at returns the position of the only occurrence of word.
func (s source) at(word string) token.Pos {
	s.t.Helper()
	require.Equal(s.t, 1, strings.Count(s.text, word), word)
	return s.tok.Pos(strings.Index(s.text, word))
}

func always(string) bool { return true }

func TestIgnoredLines(t *testing.T) {
	t.Parallel()
	s := parse(t, `package p

func f() {
	call_one() //fencelint:ignore keyonlyrelease trailing
	call_two()
	call_three()

	//fencelint:ignore keyonlyrelease above
	call_four()
	call_five()

	//fencelint:ignore ttlcheck first of two
	//fencelint:limit second of two
	call_six()

	//fencelint:ignore ttlcheck nothing here

	call_seven()
}
`)
	require.True(t, s.Ignored("keyonlyrelease", s.at("call_one")))
	require.True(t, s.Ignored("keyonlyrelease", s.at("call_two")))
	require.False(t, s.Ignored("keyonlyrelease", s.at("call_three")))
	require.True(t, s.Ignored("keyonlyrelease", s.at("call_four")))
	require.False(t, s.Ignored("ttlcheck", s.at("call_four")))
	require.False(t, s.Ignored("keyonlyrelease", s.at("call_five")))
	require.True(t, s.Ignored("ttlcheck", s.at("call_six")))
	reason, ok := s.Limit(s.at("call_six"))
	require.True(t, ok)
	require.Equal(t, "second of two", reason)
	require.False(t, s.Ignored("ttlcheck", s.at("call_seven")))
	_, ok = s.Limit(s.at("call_one"))
	require.False(t, ok)

	unused := s.Unused(always)
	require.Len(t, unused, 1)
	require.Equal(t, 16, s.tok.Line(unused[0].Pos))
	require.Contains(t, unused[0].Message, "silences nothing")
}

// A line's own directive is taken before that of the line above, so that the
// latter is not kept alive by a neighbour.
func TestIgnoredOwnLineFirst(t *testing.T) {
	t.Parallel()
	s := parse(t, `package p

func f() {
	call_one() //fencelint:ignore ttlcheck first
	call_two() //fencelint:ignore ttlcheck second
}
`)
	require.True(t, s.Ignored("ttlcheck", s.at("call_two")))
	unused := s.Unused(always)
	require.Len(t, unused, 1)
	require.Equal(t, 4, s.tok.Line(unused[0].Pos))
}

func TestUnusedOnlyOfEnabledRules(t *testing.T) {
	t.Parallel()
	s := parse(t, `package p

//fencelint:ignore ttlcheck,keyonlyrelease why
//fencelint:limit why
var x = 1
`)
	only := func(names ...string) func(string) bool {
		return func(rule string) bool {
			for _, name := range names {
				if name == rule {
					return true
				}
			}
			return false
		}
	}
	require.Empty(t, s.Unused(only("lockresult")))
	require.Len(t, s.Unused(only("keyonlyrelease")), 1)
	require.Len(t, s.Unused(only("unfencedwrite")), 1)
	require.Len(t, s.Unused(only("ttlcheck")), 2)
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	s := parse(t, `package p

//fencelint:ignore nosuchrule why
var x = 1

//fencelint:frobnicate
var y = 1

//fencelint:write
var z = 1
`)
	problems := s.Malformed(func(rule string) bool { return rule == "ttlcheck" })
	require.Len(t, problems, 3)
	require.Contains(t, problems[0].Message, `no rule "nosuchrule"`)
	require.Contains(t, problems[1].Message, `unknown directive "frobnicate"`)
	require.Contains(t, problems[2].Message, "doc comment of a function")
}

func TestRoles(t *testing.T) {
	t.Parallel()
	s := parse(t, `package p

type locker interface {
	// Take takes.
	//
	//fencelint:acquire key=name handle=lost
	Take(ctx context.Context, name string) (lost <-chan struct{}, err error)
	//fencelint:release key=arg0
	Drop(string) error
	Put(string) error //fencelint:write
}

//fencelint:check
//fencelint:release handle=s key=b
func (s *store) alive(a, b string) bool { return true }

func plain() {
	//fencelint:check
}

//fencelint:acquire key=other
func wrong(name string) {}

//fencelint:acquire key=arg1
func few(string) {}

//fencelint:acquire handle=recv
func free() {}
`)
	methods := s.file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.TypeSpec).Type.(*ast.InterfaceType).Methods.List
	role := func(n ast.Node) []RoleDirective {
		roles := s.Roles(n)
		for i := range roles {
			require.True(t, roles[i].Pos.IsValid())
			roles[i].Pos = token.NoPos
		}
		return roles
	}
	require.Equal(t, []RoleDirective{{Role: Acquire, Key: "arg1", Handle: "result0"}}, role(methods[0]))
	require.Equal(t, []RoleDirective{{Role: Release, Key: "arg0"}}, role(methods[1]))
	require.Equal(t, []RoleDirective{{Role: Write}}, role(methods[2]))
	require.Equal(t, []RoleDirective{{Role: Check}, {Role: Release, Key: "arg1", Handle: "recv"}}, role(s.file.Decls[1]))

	problems := s.Malformed(always)
	require.Len(t, problems, 4)
	require.Contains(t, problems[0].Message, "doc comment of a function")
	require.Contains(t, problems[1].Message, `no parameter or result "other"`)
	require.Contains(t, problems[2].Message, `no parameter or result "arg1"`)
	require.Contains(t, problems[3].Message, `no parameter or result "recv"`)
}

func TestNilDirectives(t *testing.T) {
	t.Parallel()
	var d *Directives
	require.False(t, d.Ignored("ttlcheck", 1))
	_, ok := d.Limit(1)
	require.False(t, ok)
	require.Empty(t, d.Roles(&ast.FuncDecl{}))
}

func FuzzParse(f *testing.F) {
	f.Add("package p\n\n//fencelint:acquire key=x\nfunc f(x string) {}\n")
	f.Add("package p\n\ntype i interface { f() //fencelint:check\n}\n")
	f.Add("package p\n//line b.go:10\n//fencelint:limit x\nvar a = 1 //fencelint:ignore a b\n")
	f.Fuzz(func(t *testing.T, text string) {
		fset := token.NewFileSet()
		file, _ := parser.ParseFile(fset, "a.go", text, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil {
			return
		}
		d := Parse(fset, []*ast.File{file})
		for _, problem := range append(d.Malformed(always), d.Unused(always)...) {
			require.Less(t, problem.Pos, problem.End)
			require.NotContains(t, problem.Message, "\n")
		}
		for _, dir := range d.all {
			for _, rule := range dir.rules {
				require.True(t, d.Ignored(rule, dir.pos))
			}
		}
	})
}
