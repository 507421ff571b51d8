package docs

import (
	"strings"
	"testing"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/stretchr/testify/require"
)

func TestRules(t *testing.T) {
	t.Parallel()
	var names []string
	for _, rule := range Rules() {
		names = append(names, rule.Name)
		require.NotEmpty(t, rule.Title)
		require.NotContains(t, rule.Text, "###")
		require.NotEmpty(t, rule.Categories, rule.Name)
		for _, category := range rule.Categories {
			require.NotContains(t, category.Name, " ")
			require.NotEmpty(t, category.Title)
			require.Contains(t, category.Text, "\nRepair: ", category.Name)
			if category.Name != "unused" {
				require.True(t, strings.Contains(category.Text, "\n    "), "%s shows no interleaving", category.Name)
			}
		}
	}
	require.Equal(t, []string{"keyonlyrelease", "ttlcheck", "unfencedwrite",
		"leaseloss", "lockresult", "sessionlock", "releaseorder", "tokenissue", "directive"}, names)
}

// TestCategories holds the sections against the categories that findings have,
// and against the addresses under which findings send their readers there.
func TestCategories(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"keyonlyrelease": {"keyonly", "getthendel", "constowner", "luakeyonly", "notacquired"},
		"unfencedwrite":  {"unfenced", "rmw", "unordered", "stored", "external", "partial", "unguarded", "escaped"},
		"leaseloss":      {"lostsignalignored", "leaderctxdropped", "keepalivectx", "renewresultignored", "blindrenew", "silentreacquire"},
		"lockresult":     {"lockresultignored", "nonatomicttl", "keymismatch", "acquirenotatomic", "retrynotidempotent", "ambiguousresult", "modeasvalue"},
		"sessionlock":    {"sessionlockpooled"},
		"releaseorder":   {"unlockcancelledctx", "releasebeforecommit", "releasebeforestop", "releasebeforeworkends"},
		"tokenissue":     {"tokenreset", "tokennotatomic"},
		"directive":      {"malformed", "unused"},
	}
	for kind := leaseflow.OwnerCheck; kind <= leaseflow.Takeover; kind++ {
		want["ttlcheck"] = append(want["ttlcheck"], kind.String())
	}
	got := map[string][]string{}
	for _, rule := range Rules() {
		requireSection(t, "## "+rule.Name, finding.URL(rule.Name, ""))
		for _, category := range rule.Categories {
			got[rule.Name] = append(got[rule.Name], category.Name)
			requireSection(t, "### "+rule.Name+" "+category.Name, finding.URL(rule.Name, category.Name))
		}
	}
	require.Equal(t, want, got)
}

// requireSection wants a heading, and an address that ends in the anchor which
// GitHub makes of it: in lower case, with hyphens for spaces.
func requireSection(t *testing.T, heading, address string) {
	t.Helper()
	require.Contains(t, rules, "\n"+heading+"\n")
	_, anchor, _ := strings.Cut(address, "#")
	require.Equal(t, strings.ReplaceAll(strings.TrimLeft(heading, "# "), " ", "-"), anchor)
}
