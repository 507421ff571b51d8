package repair

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencelint/fencelint/internal/report"
	"github.com/stretchr/testify/require"
)

// edit replaces columns from to before to of a line of a.go.
func edit(line, from, to int, text string) report.Edit {
	return report.Edit{Path: "a.go", Start: report.Point{Line: line, Column: from}, End: report.Point{Line: line, Column: to}, New: text}
}

func fixed(name string, edits ...report.Edit) report.Finding {
	return report.Finding{Message: name, Fixes: []report.Fix{{Edits: edits}, {Edits: []report.Edit{edit(99, 1, 1, "the second fix is never used")}}}}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\nvar x = 1\nvar yy = 2\n"), 0o644))
	changes, rest, err := Plan(dir, []report.Finding{
		fixed("two places", edit(3, 5, 6, "longer"), edit(4, 10, 11, "3")),
		fixed("in the way", edit(3, 5, 10, "z = 9"), edit(4, 5, 5, "q")),
		{Message: "nothing to do"},
		fixed("insertion", edit(4, 1, 1, "// two\n")),
	})
	require.NoError(t, err)
	require.Len(t, rest, 2)
	require.Equal(t, "in the way", rest[0].Message)
	require.Equal(t, "nothing to do", rest[1].Message)
	require.Len(t, changes, 1)
	require.Equal(t, "package a\n\nvar longer = 1\n\n// two\nvar yy = 3\n", string(changes[0].New))
	require.Contains(t, string(changes[0].Diff()), "--- a/a.go\n+++ b/a.go\n@@ -1,4 +1,6 @@\n package a\n")
	require.Contains(t, string(changes[0].Diff()), "\n-var x = 1\n")
	require.Contains(t, string(changes[0].Diff()), "\n+var longer = 1\n")
	require.NoError(t, changes[0].Write(dir))
	data, err := os.ReadFile(filepath.Join(dir, "a.go"))
	require.NoError(t, err)
	require.Equal(t, string(changes[0].New), string(data))
}

func TestPlanRefusesStaleEdits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o644))
	_, _, err := Plan(dir, []report.Finding{fixed("x", edit(7, 1, 1, "y"))})
	require.ErrorContains(t, err, "has changed")
	_, _, err = Plan(dir, []report.Finding{{Fixes: []report.Fix{{Edits: []report.Edit{{Path: "none.go"}}}}}})
	require.ErrorIs(t, err, os.ErrNotExist)
}
