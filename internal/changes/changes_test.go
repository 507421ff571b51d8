package changes

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fencelint/fencelint/internal/report"
	"github.com/stretchr/testify/require"
)

// repository makes one with a committed file of lines a to f.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write(t, dir, "sub/a b.go", "a\nb\nc\nd\ne\nf\n")
	write(t, dir, "old.go", "x\n")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."},
		{"-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-q", "-m", "m"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

func at(path string, line int) report.Location {
	p := report.Point{Line: line, Column: 1}
	return report.Location{Path: path, Start: p, End: p}
}

func TestTouch(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	// b changes, d goes away, a line that looks like a header is added, and a file is new.
	write(t, dir, "sub/a b.go", "a\nB\nc\ne\nf\n++ b/old.go\n")
	write(t, dir, "sub/new.go", "x\n")
	write(t, dir, "sub/é.go", "x\n")
	l, err := Since(context.Background(), filepath.Join(dir, "sub"), "HEAD")
	require.NoError(t, err)
	for _, tt := range []struct {
		path string
		line int
		want bool
	}{
		{"a b.go", 1, false},
		{"a b.go", 2, true},
		{"a b.go", 3, true}, // before the gap
		{"a b.go", 4, true}, // after it
		{"a b.go", 5, false},
		{"a b.go", 6, true},
		{"new.go", 1, true},
		{"é.go", 1, true},
		{"../old.go", 1, false},
		{"none.go", 1, false},
	} {
		require.Equal(t, tt.want, l.Touch(&report.Finding{Location: at(tt.path, tt.line)}), "%s:%d", tt.path, tt.line)
	}
	story := &report.Finding{Location: at("a b.go", 1), Related: []report.Step{{Location: at("../old.go", 1)}, {Location: at("a b.go", 2)}}}
	require.True(t, l.Touch(story), "one step of the story has changed")
	story.Related = story.Related[:1]
	require.False(t, l.Touch(story))
}

func TestSinceErrors(t *testing.T) {
	t.Parallel()
	_, err := Since(context.Background(), t.TempDir(), "HEAD")
	require.ErrorContains(t, err, "needs a git repository")
	dir := repository(t)
	for _, revision := range []string{"nosuch", "--output=x", "", "HEAD:old.go"} {
		_, err = Since(context.Background(), dir, revision)
		require.ErrorContains(t, err, "there is no revision", revision)
		require.NotContains(t, err.Error(), "\n")
	}
}
