package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/fencelint/fencelint/docs"
	"github.com/fencelint/fencelint/passes"
	"github.com/stretchr/testify/require"
)

// TestEveryRuleIsDocumented holds the list of rules against the documentation
// that explain and the reports show, and the schema that editors know.
func TestEveryRuleIsDocumented(t *testing.T) {
	t.Parallel()
	var documented []string
	for _, rule := range docs.Rules() {
		documented = append(documented, rule.Name)
	}
	require.ElementsMatch(t, passes.Names(), documented)

	data, err := os.ReadFile("../../docs/fencelint.schema.json")
	require.NoError(t, err)
	var schema struct {
		Definitions struct {
			Rule struct{ Enum []string }
		}
	}
	require.NoError(t, json.Unmarshal(data, &schema))
	require.ElementsMatch(t, append(passes.Names(), "all"), schema.Definitions.Rule.Enum)
}
