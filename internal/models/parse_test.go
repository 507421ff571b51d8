package models

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line string
		want []*Row
	}{
		{"New lockctor key=arg0;handle=result0", []*Row{{
			Name: "New", Role: LockCtor,
			Subject: map[string][]Place{"key": {{Root: Arg}}, "handle": {{Root: Result}}},
		}}},
		{"Mutex.Lock\tacquire\thandle=recv\terror only; no  watchdog ", []*Row{{
			Recv: "Mutex", Name: "Lock", Role: Acquire,
			Subject: map[string][]Place{"handle": {{Root: Recv}}},
			Note:    "error only; no  watchdog",
		}}},
		{"Client.SetNX candidate:tryacquire key=arg1", []*Row{{
			Recv: "Client", Name: "SetNX", Role: TryAcquire, Candidate: true,
			Subject: map[string][]Place{"key": {{Root: Arg, Index: 1}}},
		}}},
		{"Client.Delete keyonly:write key=arg1.Key.Name;verb=delete", []*Row{{
			Recv: "Client", Name: "Delete", Role: Write, KeyOnly: true,
			Subject: map[string][]Place{"key": {{Root: Arg, Index: 1, Path: []string{"Key", "Name"}}}},
			Attr:    map[string]string{"verb": "delete"},
		}}},
		{"Client.Put cwrite cond=arg1.IfMatch/arg1.IfNoneMatch", []*Row{{
			Recv: "Client", Name: "Put", Role: CWrite,
			Subject: map[string][]Place{"cond": {
				{Root: Arg, Index: 1, Path: []string{"IfMatch"}},
				{Root: Arg, Index: 1, Path: []string{"IfNoneMatch"}},
			}},
		}}},
		{"{A,b}.{C,D} safe:release -", []*Row{
			{Recv: "A", Name: "C", Role: Release, Safe: true},
			{Recv: "A", Name: "D", Role: Release, Safe: true},
			{Recv: "b", Name: "C", Role: Release, Safe: true},
			{Recv: "b", Name: "D", Role: Release, Safe: true},
		}},
		{"{Get,Head} read -", []*Row{{Name: "Get", Role: Read}, {Name: "Head", Role: Read}}},
		{"Index.() write -", []*Row{{Recv: "Index", Role: Write}}},
	} {
		got, err := parseLine(tt.line)
		require.NoError(t, err, tt.line)
		require.Equal(t, tt.want, got, tt.line)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string // parts of the message
	}{
		{"New lockctor -\n", []string{"own.models:1:", "before the first [package/path]"}},
		{"[a b\n", []string{"own.models:1:", "no ]"}},
		{"# nothing\n[]\n", []string{"own.models:2:", "no package path"}},
		{"[a/*]\n", []string{"own.models:1:", "no package path"}},
		{"[a/vendor/b]\n", []string{"own.models:1:", "a/vendor/b", "without"}},
		{"[a] Redis!\n", []string{"own.models:1:", "Redis!", "lower case"}},
		{"[a]\n\nNew\n", []string{"own.models:3:", "no role"}},
		{"[a]\nNew lockctor\n", []string{"own.models:2:", "no subject", "-"}},
		{"[a]\nNew lokctor -\n", []string{"own.models:2:", "lokctor", "unknown", "lockctor", "clocktoken"}},
		{"[a]\nNew safe:keyonly:release -\n", []string{"both safe and keyonly"}},
		{"[a]\n(*T).New lockctor -\n", []string{"(*T).New", "Type.Method"}},
		{"[a]\nT.M.N lockctor -\n", []string{"T.M.N"}},
		{"[a]\nT. lockctor -\n", []string{`"T."`}},
		{"[a]\n{A,}.B lockctor -\n", []string{"{A,}.B"}},
		{"[a]\n{A,B.C lockctor -\n", []string{"{A,B.C"}},
		{"[a]\nNew lockctor key\n", []string{`"key" is no word=place`}},
		{"[a]\nNew lockctor kye=arg0\n", []string{"kye", "unknown", "key, keys"}},
		{"[a]\nNew lockctor key=arg0;key=arg1\n", []string{"key", "twice"}},
		{"[a]\nNew lockctor key=arg\n", []string{`"arg"`, "index"}},
		{"[a]\nNew lockctor key=arg-1\n", []string{"arg-1", "index"}},
		{"[a]\nNew lockctor key=arg01\n", []string{"arg01", "index"}},
		{"[a]\nNew lockctor key=arg100\n", []string{"arg100", "between 0 and 99"}},
		{"[a]\nNew lockctor key=res0\n", []string{"res0", "recv, argN, resultN"}},
		{"[a]\nNew lockctor key=Arg0\n", []string{"Arg0", "recv, argN, resultN"}},
		{"[a]\nNew lockctor key=arg0.\n", []string{"arg0.", "field name"}},
		{"[a]\nNew lockctor key=arg0/\n", []string{"place \"\""}},
	} {
		_, err := Load(Source{Name: "own.models", Data: []byte(tt.text)})
		require.Error(t, err, tt.text)
		for _, part := range tt.want {
			require.ErrorContains(t, err, part, tt.text)
		}
	}
}

// TestRoundTrip writes the embedded rows and reads them back.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	c, err := Load()
	require.NoError(t, err)
	want := c.Rows("")
	again, err := Load(Source{Name: "again", Data: []byte(Format(want))})
	require.NoError(t, err)
	got := again.Rows("")
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, strings.HasPrefix(got[i].Source, "again:"), got[i])
		copied := *got[i]
		copied.Source = want[i].Source
		require.Equal(t, *want[i], copied)
	}
}

// FuzzRows holds that whatever parses is written in a form that parses to
// the same, and that the parser does not crash on the rest.
func FuzzRows(f *testing.F) {
	f.Add("[a/b c.d/v2] redis\n{A,b}.{C,D}\tcandidate:safe:tryacquire\tkey=arg0.F/recv;verb=delete\ta  note\n")
	f.Add("# x\n\n[a]\r\nIndex.() write -\r\nF read - n\r\n[a]\nF check -\n")
	f.Add("[a/vendor/b vendor/c]\nF read -\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := &Catalogue{pkgs: make(map[string]*pkg)}
		if c.index(Source{"fuzz", []byte(text)}, "", true) != nil {
			return
		}
		for path := range c.pkgs {
			if c.lookup(path).err != nil {
				return
			}
		}
		want := c.Rows("")
		again := &Catalogue{pkgs: make(map[string]*pkg)}
		written := Format(want)
		require.NoError(t, again.index(Source{"again", []byte(written)}, "", true), written)
		for path := range again.pkgs {
			require.NoError(t, again.lookup(path).err, written)
		}
		got := again.Rows("")
		require.Len(t, got, len(want), written)
		for i := range want {
			copied := *got[i]
			copied.Source = want[i].Source
			require.Equal(t, *want[i], copied, written)
		}
	})
}

func TestFormat(t *testing.T) {
	t.Parallel()
	c, err := Load(Source{"own.models", []byte(`
[zz/b] ledger
Store.Put	keyonly:write	key=arg1;verb=delete	by key
{A,LongName}.{Do} candidate:safe:release -
[zz/a]
Apply.() write value=arg0.A.B/recv
`)})
	require.NoError(t, err)
	require.Equal(t, `[zz/a]
Apply.()  write  value=arg0.A.B/recv

[zz/b] ledger
A.Do         candidate:safe:release  -
LongName.Do  candidate:safe:release  -
Store.Put    keyonly:write           key=arg1;verb=delete  by key
`, Format(c.Rows("zz/")))
	require.Empty(t, Format(nil))
}
