package redisfence

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The module requires its client and fence, and no test library.
func TestRequirements(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 2 && strings.Contains(fields[0], ".") { // path and version, nothing behind
			direct = append(direct, fields[0])
		}
	}
	want := []string{"github.com/fencelint/fencelint/fence", "github.com/redis/go-redis/v9"}
	if !slices.Equal(direct, want) {
		t.Errorf("requires %q, want %q", direct, want)
	}
}
