package driver

import (
	"testing"

	"github.com/fencelint/fencelint/internal/report"
	"github.com/stretchr/testify/require"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	require.Equal(t, tokens("\trdb.Del( ctx,key ) // now"), tokens("rdb.Del(ctx, key)"))
	require.Equal(t, tokens("rdb.Del(\n\t\tctx,\n\t\tkey)"), tokens("rdb.Del(ctx, key)"))
	require.NotEqual(t, tokens("rdb.Del(ctx, key)"), tokens("rdb.Del(ctx, other)"))
	require.NotEqual(t, tokens(`x("a b")`), tokens(`x("ab")`))
	require.NotEmpty(t, tokens("`unfinished"))
	require.NotEqual(t, tokens("//fencelint:ignore a b"), tokens("//fencelint:ignore a c"))
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	f := report.Finding{Rule: "r", Category: "c", Package: "p"}
	same := fingerprint(f, "T.m", "x()")
	require.Len(t, same, 32)
	moved := f
	moved.Location.Start.Line = 100
	require.Equal(t, same, fingerprint(moved, "T.m", "\tx() "))
	require.NotEqual(t, same, fingerprint(f, "T.n", "x()"))
	f.Category = "d"
	require.NotEqual(t, same, fingerprint(f, "T.m", "x()"))
}

func TestNumber(t *testing.T) {
	t.Parallel()
	fs := []report.Finding{{Fingerprint: "a"}, {Fingerprint: "b"}, {Fingerprint: "a"}, {Fingerprint: "a"}}
	number(fs)
	require.Equal(t, []report.Finding{{Fingerprint: "a"}, {Fingerprint: "b"}, {Fingerprint: "a:2"}, {Fingerprint: "a:3"}}, fs)
}
