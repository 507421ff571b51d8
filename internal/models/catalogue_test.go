package models

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoadEmbedded(t *testing.T) {
	t.Parallel()
	c, err := Load()
	require.NoError(t, err)
	for path := range c.pkgs {
		require.NoError(t, c.lookup(path).err, path)
	}
	require.Greater(t, len(c.Rows("")), 2600)
}
