package passes_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var built struct {
	sync.Once
	dir string
	err error
}

// binary builds the linter once for all tests, without the race detector:
// loading the clients with it takes minutes.
func binary(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "fencelint-test-"); built.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", filepath.Join(built.dir, "fencelint"), "../cmd/fencelint").CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("building fencelint: %w: %s", err, out)
		}
	})
	require.NoError(t, built.err)
	return filepath.Join(built.dir, "fencelint")
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}
