package proof

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Count is a number from the environment.
func Count(tb testing.TB, variable string, byDefault int) int {
	tb.Helper()
	v := os.Getenv(variable)
	if v == "" {
		return byDefault
	}
	n, err := strconv.Atoi(v)
	require.NoError(tb, err, variable)
	return n
}
