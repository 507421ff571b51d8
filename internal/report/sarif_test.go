package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // ships the schema, see schema
	"github.com/stretchr/testify/require"
	"github.com/xeipuuv/gojsonschema"
)

// schema returns the schema of SARIF 2.1.0 that OASIS has published. A module
// carries it as a constant that it does not export.
func schema(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), "schema.go"), nil, 0)
	require.NoError(t, err)
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) > len(text) {
			text = lit.Value
		}
		return true
	})
	text, err = strconv.Unquote(text)
	require.NoError(t, err)
	require.Contains(t, text, "Static Analysis Results Format (SARIF) Version 2.1.0")
	s, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
	require.NoError(t, err)
	return s
}

func TestSARIFIsValid(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for _, doc := range []*Document{document(), {Version: SchemaVersion}} {
		var got bytes.Buffer
		require.NoError(t, writeSARIF(&got, doc, repositoryWith(t)))
		result, err := s.Validate(gojsonschema.NewBytesLoader(got.Bytes()))
		require.NoError(t, err)
		require.Empty(t, result.Errors())
	}
	// The schema itself refuses what is wrong.
	result, err := s.Validate(gojsonschema.NewStringLoader(`{"version":"2.1.0","runs":[{"tool":{"driver":{}},"results":[{}]}]}`))
	require.NoError(t, err)
	require.NotEmpty(t, result.Errors())
}

// TestSARIFForReaders checks what GitHub and editors need beyond the schema.
func TestSARIFForReaders(t *testing.T) {
	t.Parallel()
	o := repositoryWith(t)
	var got bytes.Buffer
	require.NoError(t, writeSARIF(&got, document(), o))
	var log sarifLog
	require.NoError(t, json.Unmarshal(got.Bytes(), &log))
	run := log.Runs[0]
	require.Equal(t, "1.2.3", run.Tool.Driver.Semantic)
	require.Equal(t, "utf16CodeUnits", run.ColumnKind)
	require.Equal(t, "file://"+filepath.ToSlash(filepath.Dir(o.Dir))+"/", run.BaseIDs["SRCROOT"].URI)
	require.False(t, run.Invocations[0].Successful)
	for _, rule := range run.Tool.Driver.Rules {
		require.NotEqual(t, rule.ID, rule.Name)
		require.LessOrEqual(t, len([]rune(rule.Full.Text)), sarifDescription)
	}
	var del sarifResult
	for _, r := range run.Results {
		require.Equal(t, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		require.NotEmpty(t, r.Fingerprints["fencelint/v1"])
		if r.RuleID == "keyonlyrelease" {
			del = r
		}
	}
	place := del.Locations[0].Physical
	require.Equal(t, sarifArtifact{"cmd/sub/a,b.go", "SRCROOT"}, place.Artifact, "from the root of the repository")
	// Before the call stand 41 bytes, of which the four letters take 2+2+3+4,
	// where UTF-16 takes 1+1+1+2.
	require.Equal(t, sarifRegion{3, 42 - 11 + 5, 3, 61 - 11 + 5}, place.Region)
	flow := del.CodeFlows[0].Threads[0].Locations
	require.Len(t, flow, 3)
	require.Equal(t, "lock acquired here", flow[0].Location.Message.Text)
	require.Equal(t, "ownership judged here", flow[1].Location.Message.Text)
	require.Equal(t, place, flow[2].Location.Physical)
	require.Equal(t, "far/c.go", flow[1].Location.Physical.Artifact.URI)
	require.Len(t, del.Fixes[0].Changes, 1)
	require.Len(t, del.Fixes[0].Changes[0].Replacements, 2)
}

func TestSurest(t *testing.T) {
	t.Parallel()
	var findings []Finding
	for i := range 12 {
		confidence := []string{"low", "medium", "high"}[i%3]
		findings = append(findings, Finding{Rule: "r", Confidence: confidence, Location: at("a.go", i+1, 1, 1)})
	}
	kept := surest(findings, 6)
	var got []string
	for _, f := range kept {
		got = append(got, fmt.Sprintf("%d%s", f.Location.Start.Line, f.Confidence[:1]))
	}
	require.Equal(t, []string{"2m", "3h", "5m", "6h", "9h", "12h"}, got)
	require.Len(t, surest(findings, 12), 12)
}

func TestUTF16Column(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line         string
		column, want int
	}{
		{"abc", 1, 1},
		{"abc", 4, 4},
		{"äbc", 3, 2},
		{"😀c", 5, 3},
		{"a\xffc", 3, 3},
		{"", 9, 9},
	} {
		require.Equal(t, tt.want, utf16Column(tt.line, tt.column), "%q %d", tt.line, tt.column)
	}
}
