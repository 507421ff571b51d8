package luatext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzParse(f *testing.F) {
	for _, c := range append(releases, fences...) {
		f.Add(c.src)
	}
	f.Add("goto x ::x:: while true do break end repeat until redis.call('get', \uFFFD)")
	f.Add("local t = {1, a = {}, [2] = function(...) return ... end} t.x.y = t[1](t)")
	f.Add("return {redis.call()}, (redis.call)('GET'), redis.call(unpack({'DEL', KEYS[1]}))")
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<16 {
			t.Skip()
		}
		a, errA := Parse(src)
		b, errB := Parse(src)
		require.Equal(t, a, b)
		require.Equal(t, errA == nil, errB == nil)
		if errA != nil {
			require.True(t, a.Unknown)
			require.Empty(t, a.Calls)
		}
		for _, c := range a.Calls {
			require.Positive(t, c.Line)
			require.Equal(t, strings.ToUpper(c.Command), c.Command)
			if a.OwnerChecked(c) && !c.IfEq {
				require.NotEmpty(t, c.Guards)
			}
		}
		require.Subset(t, names(a.Calls), names(a.KeyOnly()))
		require.LessOrEqual(t, len(a.Deletes())+len(a.Acquires()), len(a.Calls))
	})
}

func BenchmarkParse(b *testing.B) {
	src := fences[7].src
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}
