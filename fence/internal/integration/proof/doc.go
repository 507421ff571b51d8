// Package proof has what is proved of every store alike: that histories of its
// guard have an order, that random schedules lose nothing, that it behaves as
// the guard in memory, that broken servers leave no request in doubt. The tests
// of each store bring the store.
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
