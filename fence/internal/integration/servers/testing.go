package servers

import (
	"errors"
	"os"
	"testing"
)

// Require ends a test that has no server: it skips where the program is not
// installed, and fails on every other error. Where CI=true a missing program
// fails too, since there a skipped proof would look like a proof.
func Require(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case errors.Is(err, ErrMissing) && os.Getenv("CI") != "true":
		t.Skipf("needs a database server: %v (install postgresql-15 and mariadb-server)", err)
	default:
		t.Fatalf("needs a database server: %v", err)
	}
}
