package leaseflow

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/internal/models"
)

// everything is an effect with all that a fact carries.
var everything = Effect{
	Kind: Acquire, API: "SetNX", Store: "redis", At: "example.com/m/lock.go:12:3", Within: "Locker.Lock",
	Key:    concat(constTerm("lock: \"x\"\n#\t"), param(1), called("m.suffix", field(param(0), "m.Locker.name"))),
	Handle: result(0), Owner: Term{Op: opGlobal, Text: "m.me"},
	Action: Prolong, Guard: OwnerGuard, Check: ExtendCheck,
	Lock: true, Candidate: true, NoExpiry: true, Lasting: true, Unique: true, Unsafe: true, Script: true, RMW: true, Fixed: true, Tx: true, Inferred: true,
	Origin: HostOrigin, Ordered: true, Token: true, Spawned: true, Weak: true, Leased: true, Claims: true, Unfreed: true,
	Gates: []int{0, 1}, Verdict: -1, Func: 2, Held: true, Aliases: []string{"m.Locker.key"},
	Only: []Premise{{Of: param(1), Op: "!=", Value: nilTerm}, {Of: field(param(2), "m.Options.Force"), Op: "==", Value: constTerm("true")}},
	Via:  Dispatch{"example.com/m/locks.Store", "example.com/m/redis.Client"},
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

func TestSummaryGob(t *testing.T) {
	t.Parallel()
	in := &Summary{Effects: []Effect{everything, {Kind: Write, Verdict: -1, Func: -1}}, Reads: []int{0, 2}}
	var buf bytes.Buffer
	require.NoError(t, gob.NewEncoder(&buf).Encode(in))
	out := new(Summary)
	require.NoError(t, gob.NewDecoder(&buf).Decode(out))
	require.Equal(t, asJSON(t, in), asJSON(t, out))
	require.True(t, out.Effects[0].Key.Equal(in.Effects[0].Key))
}

// Whatever a function calls, its summary stays small.
func TestSummaryIsBounded(t *testing.T) {
	t.Parallel()
	s := new(Summary)
	for kind := Acquire; kind <= Grant; kind++ {
		for i := range 500 {
			e := everything
			e.Kind, e.At = kind, fmt.Sprintf("example.com/some/module/internal/storage/locks.go:%d:%d", i, i)
			s.add(e)
		}
	}
	var buf bytes.Buffer
	require.NoError(t, gob.NewEncoder(&buf).Encode(s))
	require.Less(t, buf.Len(), 14<<10, "bytes, with every field of every effect in use")
	perKind := map[Kind]int{}
	for _, e := range s.Effects {
		perKind[e.Kind]++
	}
	require.Len(t, perKind, int(Grant), "one kind does not push another out")
}

func TestSummaryAdd(t *testing.T) {
	t.Parallel()
	s := new(Summary)
	write := Effect{Kind: Write, At: "a.go:1:1", Guard: Conditional, Verdict: -1, Func: -1, Key: constTerm("k")}
	s.add(write)
	write.Guard, write.RMW = Unguarded, true
	s.add(write)
	require.Len(t, s.Effects, 1, "one call is one effect")
	require.Equal(t, Unguarded, s.Effects[0].Guard, "the weakest guard counts")
	require.True(t, s.Effects[0].RMW)
	write.At = "a.go:2:1"
	s.add(write)
	require.Len(t, s.Effects, 2)

	forCreate := Premise{Of: param(1), Op: "==", Value: constTerm("true")}
	given := Premise{Of: param(2), Op: "!=", Value: nilTerm}
	write.At, write.Guard, write.Only = "a.go:3:1", Conditional, []Premise{forCreate, given}
	s.add(write)
	write.Guard, write.Only = Unguarded, []Premise{forCreate.negated(), given}
	s.add(write)
	require.Len(t, s.Effects, 4, "what one caller reaches guarded, another reaches unguarded")
	write.Only = []Premise{given}
	s.add(write)
	require.Len(t, s.Effects, 4)
	require.Equal(t, []Premise{given}, s.Effects[3].Only, "two ways to one effect share only what both ask for")
}

// What models -infer prints and a user hands to go vet comes back as it was.
func TestInferredRowsRoundTrip(t *testing.T) {
	t.Parallel()
	pkg := types.NewPackage("example.com/m/locks", "locks")
	str := types.Typ[types.String]
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewVar(token.NoPos, pkg, "name", str)),
		types.NewTuple(types.NewVar(token.NoPos, pkg, "", types.Typ[types.Bool])), false)
	method := types.NewFunc(token.NoPos, pkg, "Lock", sig)
	iface := types.NewInterfaceType([]*types.Func{method}, nil).Complete()
	named := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "Locker", nil), iface, nil)
	method = named.Underlying().(*types.Interface).Method(0)

	release := Effect{Kind: Release, API: "Del", Store: "redis", Key: param(1), Unsafe: true, Verdict: -1, Func: -1, Inferred: true}
	in := &Summary{Effects: []Effect{everything, release}, Reads: []int{0}}
	rows := rowsFor(named, method, in)
	require.Len(t, rows, 2)
	cat, err := models.Load(models.Source{Name: "inferred", Data: []byte(models.Format(rows))})
	require.NoError(t, err)
	p := &program{cat: cat, rows: map[*types.Func][]*models.Row{}, cfg: Config{Catalogue: cat, Trace: func(format string, args ...any) {
		t.Errorf(format, args...)
	}}}
	out := p.inferred(declared(named, method))
	require.NotNil(t, out, "the rows match the method again")
	require.Equal(t, asJSON(t, in), asJSON(t, out))

	onlyReads := rowsFor(named, method, &Summary{Reads: []int{0}})
	require.Len(t, onlyReads, 1)
	require.Equal(t, models.Read, onlyReads[0].Role)
	require.True(t, strings.HasPrefix(onlyReads[0].Note, inferredMark))
}

// declared gives an interface method the receiver that type checking gives it.
func declared(named *types.Named, m *types.Func) *types.Func {
	sig := m.Signature()
	recv := types.NewVar(token.NoPos, m.Pkg(), "", named)
	return types.NewFunc(m.Pos(), m.Pkg(), m.Name(), types.NewSignatureType(recv, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
}
