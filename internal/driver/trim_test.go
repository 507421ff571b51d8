package driver

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencelint/fencelint/internal/models"
	"github.com/stretchr/testify/require"
)

// TestKeeps asks the two drivers about the same packages.
func TestKeeps(t *testing.T) {
	t.Parallel()
	cat, err := models.Load()
	require.NoError(t, err)
	cache := t.TempDir()
	write := func(dir, name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const version = "v1.2.3"
	write(cache, "example.com/user@v1.2.3/go.mod", "module example.com/user\nrequire github.com/go-redsync/redsync/v4 v4.18.1\n")
	write(cache, "example.com/further@v1.2.3/go.mod", "module example.com/further\nrequire github.com/go-redsync/redsync/v4 v4.18.1 // indirect\n")
	write(cache, "github.com/go-redsync/redsync/v4@v1.2.3/go.mod", "module github.com/go-redsync/redsync/v4\nrequire github.com/redis/go-redis/v9 v9.23.0\n")
	write(cache, "example.com/!fork/redsync/v4@v1.2.3/go.mod", "module github.com/go-redsync/redsync/v4\nrequire github.com/redis/go-redis/v9 v9.23.0\n")
	write(cache, "example.com/old@v1.2.3/old.go", "package old\n")
	work := t.TempDir()
	write(work, "vendor/example.com/user/user.go", "package user\nimport _ \"github.com/go-redsync/redsync/v4\"\n")
	write(work, "vendor/example.com/plain/plain.go", "package plain\nimport _ \"database/sql\"\n")

	trim := func() *trimmer { return newTrimmer(environment{modcache: cache}, cat, nil) }
	for _, tt := range []struct {
		dir, version string
		want         bool
	}{
		{filepath.Join(cache, "example.com/user@v1.2.3"), version, true},
		{filepath.Join(cache, "example.com/user@v1.2.3/below"), version, true},
		{filepath.Join(cache, "example.com/further@v1.2.3"), version, false},
		{filepath.Join(cache, "github.com/go-redsync/redsync/v4@v1.2.3"), version, false},
		{filepath.Join(cache, "example.com/!fork/redsync/v4@v1.2.3"), version, true},
		{filepath.Join(cache, "example.com/old@v1.2.3"), version, false},
		{filepath.Join(work, "vendor/example.com/user"), version, true},
		{filepath.Join(work, "vendor/example.com/plain"), version, false},
		{filepath.Join(work, "replaced"), version, true},
		{filepath.Join(work, "own"), "", true},
	} {
		require.Equal(t, tt.want, trim().keeps(filepath.Join(tt.dir, "x.go")), tt.dir)
		require.Equal(t, tt.want, trim().keepsDir(tt.dir, tt.version), tt.dir)
	}
}
