package docs

import (
	"strings"
	"testing"

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
	require.Equal(t, []string{"keyonlyrelease", "ttlcheck", "unfencedwrite", "directive"}, names)
}
