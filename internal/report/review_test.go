package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGitHubLimits(t *testing.T) {
	t.Parallel()
	doc := &Document{}
	for i := range 15 {
		for _, confidence := range []string{"low", "medium", "high"} {
			doc.Findings = append(doc.Findings, Finding{Rule: "r", Category: "c", Confidence: confidence, Message: "m | n", Location: at("a.go", i+1, 1, 2)})
		}
	}
	o := repositoryWith(t)
	o.Summary = filepath.Join(t.TempDir(), "summary.md")
	require.NoError(t, os.WriteFile(o.Summary, []byte("before\n"), 0o644))
	var got bytes.Buffer
	require.NoError(t, writeGitHub(&got, doc, o))
	lines := strings.Split(strings.TrimSpace(got.String()), "\n")
	require.Len(t, lines, 45, "what is no annotation is a line nevertheless")
	require.True(t, strings.HasPrefix(lines[0], "::error file=cmd/a.go,line=1,"), lines[0])
	for _, kind := range []string{"error", "warning", "notice"} {
		require.Equal(t, githubLimit, strings.Count(got.String(), "::"+kind+" "))
	}
	summary, err := os.ReadFile(o.Summary)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(summary), "before\n### fencelint: 45 findings\n"))
	require.Equal(t, 45, strings.Count(string(summary), `m \| n |`))
}

func TestSummaryFits(t *testing.T) {
	t.Parallel()
	doc := &Document{}
	for i := range 50 {
		doc.Findings = append(doc.Findings, Finding{Rule: "r", Category: "c", Message: "m", Location: at("a.go", i+1, 1, 2)})
	}
	whole := summarize(doc, base{prefix: "."}, githubSummary)
	require.Equal(t, 50, strings.Count(whole, "| m |"))
	require.NotContains(t, whole, "more")
	const limit = 700
	part := summarize(doc, base{prefix: "."}, limit)
	require.LessOrEqual(t, len(part), limit)
	shown := strings.Count(part, "| m |")
	require.Greater(t, shown, 10)
	require.True(t, strings.HasSuffix(part, fmt.Sprintf("\nand %d more\n", 50-shown)), part)
}

func TestGitHubEscapes(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	require.NoError(t, writeGitHub(&got, document(), repositoryWith(t)))
	require.Contains(t, got.String(), `::error file=cmd/sub/a%2Cb.go,line=3,endLine=3,col=42,endColumn=61,title=keyonlyrelease (getthendel)::redis Del frees the lock, "100%25" <of> it%0Asub/a,b.go:1:1: lock acquired here%0A`)
	require.Contains(t, got.String(), "line=3,endLine=5,title=", "columns only within one line")
}

func TestGitLabShape(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	require.NoError(t, writeGitLab(&got, document(), repositoryWith(t)))
	var issues []map[string]any
	require.NoError(t, json.Unmarshal(got.Bytes(), &issues))
	require.Len(t, issues, 3)
	seen := map[any]bool{}
	for _, issue := range issues {
		require.False(t, seen[issue["fingerprint"]], "equal fingerprints collapse")
		seen[issue["fingerprint"]] = true
		require.Contains(t, []any{"info", "minor", "major", "critical", "blocker"}, issue["severity"])
		location := issue["location"].(map[string]any)
		require.True(t, strings.HasPrefix(location["path"].(string), "cmd/sub/"))
		require.Positive(t, location["lines"].(map[string]any)["begin"])
		require.NotEmpty(t, issue["description"])
		require.NotEmpty(t, issue["check_name"])
	}
}

func TestCheckstyleShape(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	require.NoError(t, writeCheckstyle(&got, document(), repositoryWith(t)))
	var back checkstyle
	require.NoError(t, xml.Unmarshal(got.Bytes(), &back))
	require.Len(t, back.Files, 2)
	require.Len(t, back.Files[0].Errors, 2)
	for _, file := range back.Files {
		for _, e := range file.Errors {
			require.Contains(t, []string{"info", "warning", "error"}, e.Severity)
		}
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	o := repositoryWith(t)
	src := newSources(o.Dir)
	f := document().Findings[1]
	require.Equal(t, "keyonlyrelease", f.Rule)
	s, ok := suggest(src, f.Location.Path, f.Fixes[0])
	require.True(t, ok)
	require.Equal(t, rdSuggestion{rdRange{Point{3, 42}, Point{3, 60}}, `compareAndDel("lock:" + name, owner`}, s)

	across := Fix{Edits: []Edit{{"sub/a,b.go", Point{1, 1}, Point{1, 8}, "package"}, {"sub/a,b.go", Point{3, 1}, Point{3, 5}, "x"}}}
	s, ok = suggest(src, f.Location.Path, across)
	require.True(t, ok)
	require.Equal(t, "package shop\n\nx", s.Text)

	for name, fix := range map[string]Fix{
		"no edit":    {},
		"other file": {Edits: []Edit{{"b.go", Point{1, 1}, Point{1, 1}, ""}}},
		"overlap":    {Edits: []Edit{{"sub/a,b.go", Point{1, 1}, Point{1, 4}, ""}, {"sub/a,b.go", Point{1, 3}, Point{1, 5}, ""}}},
	} {
		_, ok = suggest(src, f.Location.Path, fix)
		require.False(t, ok, name)
	}
}

func TestHTMLEscapes(t *testing.T) {
	t.Parallel()
	doc := &Document{Findings: []Finding{{Rule: "r", Message: "<script>alert(1)</script>", URL: "javascript:alert(1)", Location: at("a.go", 1, 1, 1)}}}
	var got bytes.Buffer
	require.NoError(t, writeHTML(&got, doc, repositoryWith(t)))
	require.NotContains(t, got.String(), "<script>")
	require.NotContains(t, got.String(), `href="javascript:`)
	require.Contains(t, got.String(), "<h1>fencelint v1.2.3: 1 finding</h1>")
}
