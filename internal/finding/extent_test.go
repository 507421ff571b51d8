package finding

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
)

// extents are lines of a function. The text from ‹ to › is what is to be
// marked for the position ¦, or if that is missing for the one of ‹.
var extents = []struct{ name, body string }{
	{"call", "return ‹l.rdb.Del¦(ctx, l.name)›.Err()"},
	{"call in a chain", "return ‹l.rdb.Del(ctx, l.name).Err¦()›"},
	{"chain over lines", "return l.rdb.\n\t‹Del¦(ctx, name)›.\n\tErr()"},
	{"call over lines", "_, err := ‹db.ExecContext¦(ctx,\n\t`UPDATE t`,\n\tname)›"},
	{"function as argument", "‹locks.Do¦(ctx, func(n int) error› {\n\treturn nil\n})"},
	{"call after a function", "locks.Do(func() {\n}).‹Err¦()›"},
	{"call of a function", "func() {\n}‹¦()›"},
	{"type argument", "‹Get[int]¦(ctx)›"},
	{"defer", "‹defer rdb.Del(ctx, name)›"},
	{"defer of a function", "‹defer func()› {\n\trdb.Del(ctx, name)\n}()"},
	{"go", "‹go work(ctx, func()› {\n})"},
	{"function on one line", "‹defer func() { rdb.Del(ctx, name) }()›"},
	{"comparison", "if ‹got ¦== mine› {\n}"},
	{"statement", "‹x = y + 1›"},
	{"select", "‹›select {\ndefault:\n}"},
	{"wide letters", "_, _ = \"äß€😀\", ‹del¦(\"ä\")›"},
}

func TestExtent(t *testing.T) {
	t.Parallel()
	for _, tt := range extents {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			marked := "package p\n\nfunc f() {\n" + tt.body + "\n}\n"
			text := strings.NewReplacer("‹", "", "›", "", "¦", "").Replace(marked)
			offset := func(mark string) int {
				before, _, ok := strings.Cut(marked, mark)
				if !ok {
					return -1
				}
				return len(strings.NewReplacer("‹", "", "›", "", "¦", "").Replace(before))
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "f.go", text, 0)
			require.NoError(t, err)
			tf := fset.File(file.FileStart)
			at := max(offset("¦"), offset("‹"))
			start, end := Extent(fset, file, tf.Pos(at))
			require.Equal(t, offset("‹"), tf.Offset(start))
			if offset("‹") == offset("›") {
				require.False(t, end.IsValid())
				return
			}
			require.True(t, end.IsValid())
			require.Equal(t, text[offset("‹"):offset("›")], text[tf.Offset(start):tf.Offset(end)])
		})
	}
}

func TestReportMarksWhatReadersExpect(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "f.go", "package p\n\nfunc f() { take(1); free(2) }\n", 0)
	require.NoError(t, err)
	pos := func(line, column int) token.Pos {
		return fset.File(file.FileStart).LineStart(line) + token.Pos(column-1)
	}
	res := &Result{Findings: []Finding{
		{Rule: "r", Category: "c", Confidence: High, Message: "m", Pos: pos(3, 25), Related: []Related{
			{Role: Acquire, Message: "taken", Pos: pos(3, 16)},
			{Role: Check, Message: "far", Position: token.Position{Filename: "q/q.go", Line: 1}},
		}},
		{Rule: "r", Category: "c", Confidence: Low, Message: "left out", Pos: pos(3, 16)},
		{Rule: "r", Category: "d", Confidence: High, Message: "exact", Pos: pos(3, 1), End: pos(3, 5)},
	}, Limits: []Limit{{Reason: "on purpose", Pos: pos(3, 16)}}}
	var got []analysis.Diagnostic
	Report(&analysis.Pass{Fset: fset, Files: []*ast.File{file}, Report: func(d analysis.Diagnostic) { got = append(got, d) }}, res, Medium)
	require.Equal(t, []analysis.Diagnostic{
		{Pos: pos(3, 1), End: pos(3, 5), Category: "d", Message: "r (d): exact", URL: URL("r", "d")},
		{Pos: pos(3, 21), End: pos(3, 28), Category: "c", Message: "r (c): m; far at q/q.go:1", URL: URL("r", "c"),
			Related: []analysis.RelatedInformation{{Pos: pos(3, 12), End: pos(3, 19), Message: "taken"}}},
	}, got)
	require.Equal(t, Limit{Reason: "on purpose", Pos: pos(3, 12), End: pos(3, 19)}, res.Limits[0])
	require.Equal(t, pos(3, 21), res.Findings[0].Pos, "front ends that read the result see the same")
}
