package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// source is the file that the document of the tests speaks of; its third line
// has letters of one, two, three and four bytes.
const source = `package shop

func release() { println("äß€😀"); del("lock:" + name) }

func other() {}
`

// at returns columns from to before to of a line of a file.
func at(path string, line, from, to int) Location {
	return Location{path, Point{line, from}, Point{line, to}}
}

// document returns one with everything in it.
func document() *Document {
	doc := &Document{
		Version: SchemaVersion,
		Findings: []Finding{
			{
				Rule: "keyonlyrelease", Category: "getthendel", Confidence: "high",
				Message: `redis Del frees the lock, "100%" <of> it`, URL: "https://example.com/rules#keyonlyrelease-getthendel",
				Fingerprint: "0123456789abcdef0123456789abcdef", Package: "example.com/shop",
				Location: at("sub/a,b.go", 3, 42, 61),
				Related: []Step{
					{"acquire", "lock acquired here", at("sub/a,b.go", 1, 1, 8)},
					{"check", "ownership judged here", at("../far/c.go", 9, 1, 1)},
				},
				Fixes: []Fix{{"compare in the store", []Edit{
					{"sub/a,b.go", Point{3, 42}, Point{3, 45}, "compareAndDel"},
					{"sub/a,b.go", Point{3, 60}, Point{3, 60}, ", owner"},
				}}},
				Links: []string{"seen: acquire"},
			},
			{
				Rule: "unfencedwrite", Category: "rmw", Confidence: "medium", Message: "spans\nlines", URL: "https://example.com/rules#unfencedwrite-rmw",
				Fingerprint: "0123456789abcdef0123456789abcdef:2", Package: "example.com/shop",
				Location: Location{"sub/a,b.go", Point{3, 1}, Point{5, 16}},
			},
			{
				Rule: "ttlcheck", Category: "clock", Confidence: "low", Message: "in a file that is gone", URL: "https://example.com/rules#ttlcheck-clock",
				Fingerprint: "fedcba9876543210fedcba9876543210", Package: "example.com/shop",
				Location: at("sub/gone.go", 7, 5, 9),
			},
		},
		Limits: []Limit{{"the job may run twice", at("sub/a,b.go", 5, 1, 1)}},
		Errors: []Error{{"example.com/broken", "a.go:1:1: expected 'package'"}},
	}
	doc.Sort()
	return doc
}

// repositoryWith makes a repository with the source, and returns the options
// of a run in the directory below its root.
func repositoryWith(t *testing.T) Options {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "cmd")
	for _, d := range []string{filepath.Join(root, ".git"), filepath.Join(dir, "sub")} {
		require.NoError(t, os.MkdirAll(d, 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "a,b.go"), []byte(source), 0o644))
	return Options{
		Dir: dir, Version: "v1.2.3",
		Rules: []Rule{{Name: "keyonlyrelease", Title: "A lock is freed by name", Help: "It is freed.\n\n### getthendel\n\nIn two steps.", URL: "https://example.com/rules#keyonlyrelease"}},
	}
}

// TestGolden compares every format with a file of testdata, which
// UPDATE=1 go test writes anew.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		for name, doc := range map[string]*Document{"full": document(), "empty": {Version: SchemaVersion}} {
			t.Run(format+"/"+name, func(t *testing.T) {
				t.Parallel()
				o := repositoryWith(t)
				write, err := ForFormat(format)
				require.NoError(t, err)
				var got bytes.Buffer
				require.NoError(t, write(&got, doc, o))
				text := bytes.ReplaceAll(got.Bytes(), []byte(filepath.ToSlash(filepath.Dir(o.Dir))), []byte("/repo"))
				golden := filepath.Join("testdata", name+"."+format)
				if os.Getenv("UPDATE") != "" {
					require.NoError(t, os.WriteFile(golden, text, 0o644))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				require.Equal(t, string(want), string(text))
			})
		}
	}
}

func TestForFormat(t *testing.T) {
	t.Parallel()
	_, err := ForFormat("yaml")
	require.ErrorContains(t, err, `no format "yaml"; there are checkstyle, github, gitlab, html, json, rdjsonl, sarif, text`)
}

func TestSort(t *testing.T) {
	t.Parallel()
	doc := &Document{
		Findings: []Finding{
			{Rule: "b", Message: "m", Location: at("b.go", 1, 1, 2)},
			{Rule: "b", Message: "m", Location: at("a.go", 2, 1, 2)},
			{Rule: "b", Message: "m", Location: at("a.go", 1, 2, 2)},
			{Rule: "b", Message: "m", Location: at("a.go", 1, 1, 2)},
			{Rule: "a", Message: "m", Location: at("a.go", 1, 1, 3)},
			{Rule: "b", Message: "m", Location: at("a.go", 1, 1, 2)}, // of the test variant
			{Rule: "b", Message: "other", Location: at("a.go", 1, 1, 2)},
		},
		Limits: []Limit{{"r", at("b.go", 1, 1, 1)}, {"r", at("a.go", 1, 1, 1)}, {"r", at("b.go", 1, 1, 1)}},
	}
	doc.Sort()
	require.Equal(t, []Finding{
		{Rule: "a", Message: "m", Location: at("a.go", 1, 1, 3)},
		{Rule: "b", Message: "m", Location: at("a.go", 1, 1, 2)},
		{Rule: "b", Message: "other", Location: at("a.go", 1, 1, 2)},
		{Rule: "b", Message: "m", Location: at("a.go", 1, 2, 2)},
		{Rule: "b", Message: "m", Location: at("a.go", 2, 1, 2)},
		{Rule: "b", Message: "m", Location: at("b.go", 1, 1, 2)},
	}, doc.Findings)
	require.Equal(t, []Limit{{"r", at("a.go", 1, 1, 1)}, {"r", at("b.go", 1, 1, 1)}}, doc.Limits)
}

func TestColor(t *testing.T) {
	t.Parallel()
	o := repositoryWith(t)
	o.Color, o.Verbose = true, true
	var got bytes.Buffer
	require.NoError(t, writeText(&got, document(), o))
	require.Contains(t, got.String(), "\x1b[31mkeyonlyrelease (getthendel)\x1b[0m")
	require.Contains(t, got.String(), "known: seen: acquire")
	require.Contains(t, got.String(), "limited on purpose: the job may run twice")
}
