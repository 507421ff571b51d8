package docs

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestREADME runs the command that the README shows first and compares its
// output with the one shown there. With UPDATE set it renews the README.
func TestREADME(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds fencelint and runs it")
	}
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), "<!-- output of the command")
	require.True(t, ok)
	marker, rest, ok := strings.Cut(rest, "```\n")
	require.True(t, ok)
	shown, after, ok := strings.Cut(rest, "```\n")
	require.True(t, ok)
	lines := strings.Split(strings.TrimSpace(before), "\n")
	command := strings.Fields(lines[len(lines)-1])

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "the example has findings")
	require.Equal(t, "exit status 1\n", stderr.String()) // what go run says of status 1
	if os.Getenv("UPDATE") != "" {
		renewed := before + "<!-- output of the command" + marker + "```\n" + string(out) + "```\n" + after
		require.NoError(t, os.WriteFile("../README.md", []byte(renewed), 0o644))
		return
	}
	require.Equal(t, string(out), shown, "UPDATE=1 go test ./docs renews the README")
	for _, rule := range Rules() {
		if rule.Name != "directive" && !strings.Contains(rule.Text, "Off by default") {
			require.Equal(t, 1, strings.Count(shown, ": "+rule.Name+" ("), rule.Name)
		}
	}
}
