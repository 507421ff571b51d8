package suppress

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseStatement(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		comment string
		want    statement
		err     string
	}{
		{comment: "//fencelint:ignore keyonlyrelease one node only", want: statement{verb: Ignore, rules: []string{"keyonlyrelease"}, reason: "one node only"}},
		{comment: "//fencelint:ignore ttlcheck,unfencedwrite\tsee https://example.com/a b", want: statement{verb: Ignore, rules: []string{"ttlcheck", "unfencedwrite"}, reason: "see https://example.com/a b"}},
		{comment: "//fencelint:ignore ttlcheck why // want `x`", want: statement{verb: Ignore, rules: []string{"ttlcheck"}, reason: "why"}},
		{comment: "//fencelint:ignore", err: "needs a rule and a reason"},
		{comment: "//fencelint:ignore   ", err: "needs a rule and a reason"},
		{comment: "//fencelint:ignore ttlcheck", err: "needs a reason"},
		{comment: "//fencelint:ignore ttlcheck // want `x`", err: "needs a reason"},
		{comment: "//fencelint:ignore ttlcheck, unfencedwrite why", err: "commas without spaces"},
		{comment: "//fencelint:ignore ttlcheck,ttlcheck why", err: "named twice"},
		{comment: "//fencelint:limit only saves work", want: statement{verb: Limit, reason: "only saves work"}},
		{comment: "//fencelint:limit", err: "limit needs a reason"},
		{comment: "//fencelint:limited why", err: `unknown directive "limited"`},
		{comment: "//fencelint:", err: `unknown directive ""`},
		{comment: "// fencelint:ignore ttlcheck why", err: "without a space"},
		{comment: "/*fencelint:limit why*/", err: "without a space"},
		{comment: "//fencelint:acquire", want: statement{verb: Acquire}},
		{comment: "//fencelint:acquire key=name handle=result0", want: statement{verb: Acquire, key: "name", handle: "result0"}},
		{comment: "//fencelint:acquire key=", err: "takes key=ARG"},
		{comment: "//fencelint:acquire key=a key=b", err: "given twice"},
		{comment: "//fencelint:acquire token=a", err: "takes key=ARG"},
		{comment: "//fencelint:release handle=l", want: statement{verb: Release, handle: "l"}},
		{comment: "//fencelint:check", want: statement{verb: Check}},
		{comment: "//fencelint:write key=a", err: "takes nothing"},
		{comment: "//fencelint:fenced", want: statement{verb: Fenced}},
	} {
		t.Run(tt.comment, func(t *testing.T) {
			t.Parallel()
			require.True(t, isDirective(tt.comment))
			got, err := parseStatement(tt.comment)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestIsDirective(t *testing.T) {
	t.Parallel()
	for _, comment := range []string{
		"// the fencelint:ignore directive is described elsewhere",
		"// fencelint: a linter",
		"// fencelint:ignored words",
		"//nolint:fencelint",
		"//",
		"/**/",
	} {
		require.False(t, isDirective(comment), comment)
	}
}

func FuzzParseStatement(f *testing.F) {
	f.Add("//fencelint:ignore a,b why")
	f.Add("//fencelint:acquire key=a handle=result0")
	f.Add("/* fencelint:limit\nx*/")
	f.Add("//fencelint:\x00\xff")
	f.Fuzz(func(t *testing.T, comment string) {
		if !isDirective(comment) {
			return
		}
		st, err := parseStatement(comment)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		switch st.verb {
		case Ignore:
			require.NotEmpty(t, st.rules)
			require.NotEmpty(t, strings.TrimSpace(st.reason))
			require.NotContains(t, st.rules, "")
		case Limit:
			require.NotEmpty(t, strings.TrimSpace(st.reason))
		default:
			require.Contains(t, subjects, st.verb)
			require.Empty(t, st.reason)
		}
	})
}
