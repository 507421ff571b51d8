package models

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// A world type-checks made-up packages that import each other.
type world map[string]*types.Package

func (w world) Import(path string) (*types.Package, error) {
	if p := w[path]; p != nil {
		return p, nil
	}
	return importer.Default().Import(path)
}

// check adds a package from source.
func (w world) check(t *testing.T, path, src string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", src, 0)
	require.NoError(t, err)
	cfg := types.Config{Importer: w}
	p, err := cfg.Check(path, fset, []*ast.File{file}, nil)
	require.NoError(t, err)
	w[path] = p
	return p
}

// callee returns what a call of name on a value of type typ refers to, as an
// analysis sees it; typ "" stands for a function.
func callee(t *testing.T, p *types.Package, typ, name string) *types.Func {
	t.Helper()
	obj := p.Scope().Lookup(name)
	if typ != "" {
		tn := p.Scope().Lookup(typ)
		require.NotNil(t, tn, typ)
		obj, _, _ = types.LookupFieldOrMethod(tn.Type(), true, p, name)
	}
	fn, ok := obj.(*types.Func)
	require.True(t, ok, "%s.%s", typ, name)
	return fn
}

const lockdRows = `
[example.com/lockd]
New              lockctor       handle=result0
Handle.Lock      acquire        handle=recv
cmds.SetNX       candidate:tryacquire  key=arg0
Setter.SetNX     candidate:tryacquire  key=arg0
Box.Put          write          key=arg0
List.Get         read           -
Apply.()         write          value=arg0
Handle.Lock      check          handle=recv
`

const lockdSource = `package lockd
type Handle struct{}
func New() *Handle { return nil }
func (*Handle) Lock() error { return nil }
func (*Handle) Other() {}
type cmds func()
func (cmds) SetNX(key string) bool { return true }
type Client struct { cmds }
type Setter interface { SetNX(key string) bool }
type All interface { Setter; Close() error }
type Box[T any] struct{}
func (Box[T]) Put(key string, v T) {}
type List[T any] interface { Get() T }
type Apply func(v int)
type Alias = Handle
`

func TestMatch(t *testing.T) {
	t.Parallel()
	c, err := Load(Source{"lockd.models", []byte(lockdRows)})
	require.NoError(t, err)
	w := world{}
	lockd := w.check(t, "example.com/lockd", lockdSource)
	vendored := world{}.check(t, "example.com/user/vendor/example.com/lockd", lockdSource)
	user := w.check(t, "example.com/user", `package user
import "example.com/lockd"
type Service struct { *lockd.Client; *lockd.Handle }
type Store interface { lockd.All; Ping() }
type Ints = lockd.Box[int]
type Words interface { lockd.List[string] }
`)
	for _, tt := range []struct {
		pkg       *types.Package
		typ, name string
		want      []string // recv.name role
	}{
		{lockd, "", "New", []string{"New lockctor"}},
		{lockd, "Handle", "Lock", []string{"Handle.Lock acquire", "Handle.Lock check"}},
		{lockd, "Handle", "Other", nil},
		{lockd, "Alias", "Lock", []string{"Handle.Lock acquire", "Handle.Lock check"}},
		{lockd, "Client", "SetNX", []string{"cmds.SetNX tryacquire"}},
		{lockd, "All", "SetNX", []string{"Setter.SetNX tryacquire"}},
		{lockd, "All", "Close", nil},
		{vendored, "Handle", "Lock", []string{"Handle.Lock acquire", "Handle.Lock check"}},
		{user, "Service", "Lock", []string{"Handle.Lock acquire", "Handle.Lock check"}},
		{user, "Service", "SetNX", []string{"cmds.SetNX tryacquire"}},
		{user, "Store", "SetNX", []string{"Setter.SetNX tryacquire"}},
		{user, "Store", "Ping", nil},
		{user, "Ints", "Put", []string{"Box.Put write"}},
		{user, "Words", "Get", []string{"List.Get read"}},
	} {
		var got []string
		for _, r := range c.Match(callee(t, tt.pkg, tt.typ, tt.name)) {
			got = append(got, r.name()+" "+string(r.Role))
		}
		require.Equal(t, tt.want, got, "%s.%s", tt.typ, tt.name)
	}

	apply := lockd.Scope().Lookup("Apply").Type().(*types.Named)
	require.Len(t, c.MatchType(apply, ""), 1)
	require.Empty(t, c.MatchType(apply, "SetNX"))
	handle := lockd.Scope().Lookup("Handle").Type().(*types.Named)
	require.Len(t, c.MatchType(handle, "Lock"), 2)

	require.Nil(t, c.Match(nil))
	require.Nil(t, c.MatchType(nil, ""))
	require.Nil(t, c.Match(types.Universe.Lookup("error").Type().Underlying().(*types.Interface).Method(0)))
}

// TestMatchLiteral covers a method that no named type declares.
func TestMatchLiteral(t *testing.T) {
	t.Parallel()
	c, err := Load(Source{"lockd.models", []byte(lockdRows)})
	require.NoError(t, err)
	p := world{}.check(t, "example.com/lockd", `package lockd
var Any interface{ SetNX(string) bool }
`)
	iface := p.Scope().Lookup("Any").Type().(*types.Interface)
	require.Nil(t, c.Match(iface.Method(0)))
	require.Nil(t, c.MatchShape(iface.Method(0)))
}
