package leaseflow_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/internal/models"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"
)

// A func that is stored where it was read from must not be followed for ever.
func TestFuncsStoredInCircles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	src := filepath.Join(dir, "src", "a")
	require.NoError(t, os.MkdirAll(src, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(src, "a.go"), []byte(`package a

import "database/sql"

type hooks struct{ run func(db *sql.DB) func() }

func clone(h *hooks) *hooks { return &hooks{run: h.run} }

func loop(h *hooks, db *sql.DB) {
	h.run(db)
	next := h.run(db)
	for {
		next()
	}
}

func again(f func() func()) {
	var x func() func()
	x = func() func() { return x() }
	x()()
}
`), 0o644))
	cat, err := models.Load()
	require.NoError(t, err)
	results := analysistest.Run(t, dir, leaseflow.New(leaseflow.Config{Catalogue: cat}), "a")
	require.Len(t, results, 1)
	require.NoError(t, results[0].Action.Err)
	require.Empty(t, results[0].Result.(*leaseflow.Result).Writes)
}
