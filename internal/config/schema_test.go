package config

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xeipuuv/gojsonschema"
	"go.yaml.in/yaml/v3"
)

// TestSchemaAgrees holds the schema for editors against the parser: both take
// and refuse the same files.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/fencelint.schema.json")
	require.NoError(t, err)
	schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text))
	require.NoError(t, err)
	for _, tt := range []struct {
		file string
		ok   bool
	}{
		{"rules: {enable: [all], disable: ttlcheck}\nconfidence: low\n", true},
		{"exclude: [a/**, b]\ngenerated: true\ntests: false\nmodels: x\nshared-paths: [/a]\n", true},
		{"{}\n", true},
		{"rule: {}\n", false},
		{"rules: {enabled: []}\n", false},
		{"rules: {enable: [nosuch]}\n", false},
		{"rules: []\n", false},
		{"confidence: sure\n", false},
		{"tests: 'true'\n", false},
		{"exclude: {}\n", false},
		{"models: ['']\n", false},
	} {
		_, err := parse("f", []byte(tt.file), rules)
		require.Equal(t, tt.ok, err == nil, "parser: %s: %v", tt.file, err)
		var value any
		require.NoError(t, yaml.Unmarshal([]byte(tt.file), &value))
		data, err := json.Marshal(value)
		require.NoError(t, err)
		result, err := schema.Validate(gojsonschema.NewBytesLoader(data))
		require.NoError(t, err)
		require.Equal(t, tt.ok, result.Valid(), "schema: %s: %v", tt.file, result.Errors())
	}
}
