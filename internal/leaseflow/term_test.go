package leaseflow

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func param(n int) Term             { return Term{Op: opParam, N: n} }
func result(n int) Term            { return Term{Op: opResult, N: n} }
func field(of Term, s string) Term { return Term{Op: opField, Text: s, Args: []Term{of}} }
func called(fn string, args ...Term) Term {
	return Term{Op: opCall, Text: fn, Args: args}
}

func TestTermShape(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		term  Term
		shape string
	}{
		{"nothing", Term{}, "?"},
		{"constant", constTerm("lock:a"), `"lock:a"`},
		{"parameter", param(2), "*"},
		{"field of a parameter", field(param(0), "Lock.key"), "Lock.key"},
		{"field of another value of the type", field(called("new"), "Lock.key"), "Lock.key"},
		{"variable", Term{Op: opGlobal, Text: "m.key"}, "var m.key"},
		{"helper", called("m.key", param(1)), "m.key(*)"},
		{"helper with two arguments", called("m.key", param(1), constTerm("x")), `m.key(*,"x")`},
		{"concatenation", concat(constTerm("lock:"), param(1)), `"lock:"+*`},
		{"element", Term{Op: opElem, Args: []Term{field(param(0), "L.keys")}}, "L.keys[]"},
	} {
		require.Equal(t, tt.shape, tt.term.Shape(), tt.name)
	}
}

func TestTermEqual(t *testing.T) {
	t.Parallel()
	here, there := new(int), new(int)
	for _, tt := range []struct {
		name string
		a, b Term
		want bool
	}{
		{"constants", constTerm("a"), constTerm("a"), true},
		{"other constants", constTerm("a"), constTerm("b"), false},
		{"unknown values", Term{}, Term{}, false},
		{"one unknown value", Term{id: here}, Term{id: here}, true},
		{"two unknown values", Term{id: here}, Term{id: there}, false},
		{"built alike", concat(constTerm("lock:"), param(1)), concat(constTerm("lock:"), param(1)), true},
		{"of other parameters", concat(constTerm("lock:"), param(1)), concat(constTerm("lock:"), param(2)), false},
		{"of parameters of two functions", Term{Op: opParam, id: here}, Term{Op: opParam, id: there}, false},
		{"of other length", called("f", param(1)), called("f", param(1), param(2)), false},
		{"an unknown part", called("f", Term{}), called("f", Term{}), false},
		{"a constant and a call", constTerm("f"), called("f"), false},
	} {
		require.Equal(t, tt.want, tt.a.Equal(tt.b), tt.name)
		require.Equal(t, tt.want, tt.b.Equal(tt.a), tt.name+", turned round")
	}
}

func TestTermConcat(t *testing.T) {
	t.Parallel()
	require.Equal(t, `"abc"`, concat(constTerm("a"), constTerm("b"), concat(constTerm(""), constTerm("c"))).Shape())
	require.Equal(t, `*`, concat(constTerm(""), param(1)).Shape())
	require.Equal(t, `""`, concat().Shape())
	require.Equal(t, `"a:"+*+":b"`, concat(concat(constTerm("a:"), param(1)), constTerm(":b")).Shape())
}

func TestTermSkeleton(t *testing.T) {
	t.Parallel()
	require.Equal(t, `"lock:"_`, concat(constTerm("lock:"), param(1)).skeleton())
	require.Equal(t, concat(constTerm("lock:"), param(1)).skeleton(), concat(constTerm("lock:"), field(param(0), "L.name")).skeleton(),
		"where the name comes from does not matter")
	require.Equal(t, `"lock:"_`, concat(constTerm("lock:"), param(1), param(2)).skeleton(), "two open parts are as good as one")
	require.Empty(t, concat(constTerm("a:"), param(1)).skeleton(), "too little is constant")
	require.Empty(t, concat(param(1), constTerm("/"), param(2)).skeleton(), "nothing but a slash is constant")
	require.Empty(t, constTerm("lock:a").skeleton(), "nothing is open")
}

func TestTermSubstitute(t *testing.T) {
	t.Parallel()
	args := []Term{field(param(0), "S.locker"), constTerm("orders")}
	put := func(u Term) Term {
		return u.substitute(func(i int) Term { return args[i] }, func(i int) Term { return called("handle", constTerm(string(rune('0'+i)))) })
	}
	require.True(t, put(concat(constTerm("lock:"), param(1))).Equal(constTerm("lock:orders")), "a key becomes constant at the call")
	require.Equal(t, "S.locker", put(param(0)).Shape())
	require.Equal(t, `handle("1")`, put(result(1)).Shape())
	require.Equal(t, `key("orders")`, put(called("key", param(1))).Shape())
	outer := Term{Op: opParam, N: 1, id: new(int)}
	require.True(t, put(outer).Equal(outer), "a parameter of a function around stays")
}

func TestTermText(t *testing.T) {
	t.Parallel()
	text, ok := concat(constTerm("DELETE FROM "), param(1), constTerm(" WHERE id = 1")).text()
	require.True(t, ok)
	require.Equal(t, "DELETE FROM "+hole+" WHERE id = 1", text)
	_, ok = concat(param(1), param(2)).text()
	require.False(t, ok)
	_, ok = concat(constTerm("a"), param(1)).constant()
	require.False(t, ok)
	text, ok = constTerm("abc").constant()
	require.True(t, ok)
	require.Equal(t, "abc", text)
}

func TestTermNames(t *testing.T) {
	t.Parallel()
	names := called("(*example.com/redislock/v2.Store).key", constTerm("jobs")).names()
	require.False(t, hasWord(lockWords, names...), "the path of a package says nothing of the key: %q", names)
	require.Contains(t, names, "jobs")
	require.NotContains(t, field(Term{Op: opGlobal, Text: "m.lockTable"}, "m.Row.id").names(), "lockTable")
}

func FuzzTermEncoding(f *testing.F) {
	f.Add([]byte{}, "")
	f.Add([]byte{byte(opConcat), 2, byte(opConst), 0, byte(opParam), 0}, "lock:")
	f.Add([]byte{byte(opField), 1, byte(opCall), 2, byte(opUnknown), 0, byte(opGlobal), 0}, "a\x00b\n\"\u2028")
	f.Add([]byte{byte(opElem), 1, byte(opResult), 0}, "[#]")
	f.Fuzz(func(t *testing.T, program []byte, text string) {
		text = string(bytes.ToValidUTF8([]byte(text), nil)) // of source text, which is UTF-8
		term := buildTerm(&program, text, 0)
		var buf bytes.Buffer
		var viaGob, viaJSON Term
		require.NoError(t, gob.NewEncoder(&buf).Encode(term))
		require.NoError(t, gob.NewDecoder(&buf).Decode(&viaGob))
		data, err := json.Marshal(term)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &viaJSON))
		for _, got := range []Term{viaGob, viaJSON} {
			require.Equal(t, term.Shape(), got.Shape())
			require.Equal(t, term.size(), got.size())
			require.Equal(t, term.Equal(term), got.Equal(term))
			again, err := json.Marshal(got)
			require.NoError(t, err)
			require.Equal(t, string(data), string(again))
		}
	})
}

// buildTerm makes a term of pairs of bytes: an op and a number of arguments.
func buildTerm(program *[]byte, text string, depth int) Term {
	if len(*program) < 2 || depth > 4 {
		return constTerm(text)
	}
	o, n := op((*program)[0]%byte(opElem+1)), int((*program)[1]%4)
	*program = (*program)[2:]
	t := Term{Op: o, N: n}
	switch o {
	case opConst, opField, opGlobal, opCall:
		t.Text = text
	}
	switch o {
	case opField, opElem:
		n = 1
	case opCall, opConcat:
	default:
		n = 0
	}
	for range n {
		t.Args = append(t.Args, buildTerm(program, text, depth+1))
	}
	return t
}
