package baseline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencelint/fencelint/internal/report"
	"github.com/stretchr/testify/require"
)

// print returns a well-formed fingerprint of one digit.
func print(digit string) string { return strings.Repeat(digit, 32) }

func TestApply(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "b.json")
	old := []report.Finding{
		{Confidence: "high", Fingerprint: print("1"), Package: "p"},
		{Confidence: "high", Fingerprint: print("2"), Package: "p"},
		{Confidence: "high", Fingerprint: print("2") + ":2", Package: "p"},
		{Confidence: "high", Fingerprint: print("3"), Package: "q"},
	}
	require.NoError(t, New(old).Write(file))
	b, err := Read(file)
	require.NoError(t, err)

	fresh, fixed := b.Apply(old, func(*Entry) bool { return true })
	require.Empty(t, fresh)
	require.Empty(t, fixed)

	now := []report.Finding{{Fingerprint: print("2")}, {Fingerprint: print("4")}, {Fingerprint: print("2") + ":3"}}
	fresh, fixed = b.Apply(now, func(e *Entry) bool { return e.Package == "p" })
	require.Equal(t, []report.Finding{{Fingerprint: print("4")}, {Fingerprint: print("2") + ":3"}}, fresh)
	require.Len(t, fixed, 2, "q was not analysed")
	require.Equal(t, print("1"), fixed[0].Fingerprint)
	require.Equal(t, print("2")+":2", fixed[1].Fingerprint)
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"", "b.json:1: no baseline"},
		{"{\n\"version\": \"1\",\n\"finding\": []}", "unknown field"},
		{"{\n\"version\": 1}", "b.json:2: no baseline"},
		{"{}", `has version ""`},
		{`{"version":"2","findings":[]}`, `has version "2", this program reads "1"`},
		{`{"version":"1","findings":[{"fingerprint":"x"}]}`, `finding 1 of the baseline has the fingerprint "x"`},
		{`{"version":"1","findings":[{"fingerprint":"` + print("1") + `","confidence":"sure"}]}`, `finding 1 of the baseline has the confidence "sure"`},
		{"{\"version\":\"1\",\"findings\":[]}\n{}", "b.json:2: something follows"},
	} {
		file := filepath.Join(t.TempDir(), "b.json")
		require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o644))
		_, err := Read(file)
		require.ErrorContains(t, err, tt.want)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
