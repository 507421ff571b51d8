package models

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEmbedded parses all embedded data: Load leaves that to the first use.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	c, err := Load()
	require.NoError(t, err)
	used := make(map[Role]bool)
	for path := range c.pkgs {
		require.NoError(t, c.lookup(path).err, path)
		for n, rows := range c.lookup(path).byName {
			for i, r := range rows {
				used[r.Role] = true
				require.NotEmpty(t, r.Store, r.Source)
				for _, other := range rows[:i] {
					require.NotEqual(t, other.Role, r.Role, "%s and %s both describe %s.%v", other.Source, r.Source, path, n)
				}
			}
		}
	}
	require.ElementsMatch(t, Roles(), slices.Collect(maps.Keys(used)), "every role has rows")
	require.ElementsMatch(t, words, slices.Compact(slices.Sorted(slices.Values(words))), "no word comes twice")
}

func TestOwnRowsReplace(t *testing.T) {
	t.Parallel()
	c, err := Load(Source{"own.models", []byte("[github.com/bsm/redislock]\nClient.Obtain nonlock -\nClient.Mine write -\n")})
	require.NoError(t, err)
	roles := func(recv, method string) (roles []Role) {
		for _, r := range c.lookup("github.com/bsm/redislock").byName[name{recv, method}] {
			roles = append(roles, r.Role)
		}
		return roles
	}
	require.Equal(t, []Role{NonLock}, roles("Client", "Obtain"))
	require.Equal(t, []Role{Write}, roles("Client", "Mine"))
	require.Equal(t, []Role{Release}, roles("Lock", "Release"), "the rest of the package stays")
}

func TestSources(t *testing.T) {
	t.Parallel()
	c, err := Load(Source{"own.models", []byte("# one\n\n[a b] ledger\n# two\nF read -\n[a]\nG write -\n")})
	require.NoError(t, err)
	var got []string
	for _, path := range []string{"a", "b"} {
		for _, r := range c.lookup(path).rows {
			got = append(got, r.String()+" "+r.Store+" "+r.Source)
		}
	}
	require.Equal(t, []string{"a.F ledger own.models:5", "a.G  own.models:7", "b.F ledger own.models:5"}, got)
}

func TestKnows(t *testing.T) {
	t.Parallel()
	c, err := Load()
	require.NoError(t, err)
	for path, want := range map[string][2]bool{ // knows, takes a lease
		"github.com/redis/go-redis/v9":                      {true, true},
		"example.com/x/vendor/github.com/redis/go-redis/v9": {true, true},
		"database/sql":                 {true, true},
		"time":                         {true, false},
		"context":                      {true, false},
		"net/http":                     {true, false},
		"sync":                         {true, false},
		"strings":                      {false, false},
		"github.com/redis/go-redis/v8": {false, false},
		"":                             {false, false},
	} {
		require.Equal(t, want, [2]bool{c.Knows(path), c.TakesLease(path)}, path)
	}
}

func TestRowsPattern(t *testing.T) {
	t.Parallel()
	c, err := Load(Source{"own.models", []byte("[a/b] ledger\nT.Put write -\nT.Take acquire -\n[a/c/b]\nPut read -\n")})
	require.NoError(t, err)
	for pattern, want := range map[string][]string{
		"ledger":    {"a/b.T.Put", "a/b.T.Take"},
		"a/b.T":     {"a/b.T.Put", "a/b.T.Take"},
		"a/*.Put":   {"a/b.T.Put", "a/c/b.Put"},
		"a/?.T.Put": {"a/b.T.Put"},
		"a/b":       {"a/b.T.Put", "a/b.T.Take"},
		"a/[":       nil,
		"nowhere":   nil,
	} {
		var got []string
		for _, r := range c.Rows(pattern) {
			got = append(got, r.String())
		}
		require.Equal(t, want, got, pattern)
	}
	require.NotEmpty(t, c.Rows("forcerelease"))
	for _, r := range c.Rows("forcerelease") {
		require.Equal(t, ForceRel, r.Role)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c, err := Load()
	require.NoError(t, err)
	want := len(c.Rows(""))
	fresh, err := Load()
	require.NoError(t, err)
	var wg sync.WaitGroup
	counts := make([]int, 8)
	for i := range counts {
		wg.Go(func() { counts[i] = len(fresh.Rows("")) })
	}
	wg.Wait()
	for _, n := range counts {
		require.Equal(t, want, n)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstUse parses the largest package, once for each catalogue.
func BenchmarkFirstUse(b *testing.B) {
	for b.Loop() {
		c, err := Load()
		if err != nil {
			b.Fatal(err)
		}
		if c.lookup("github.com/redis/go-redis/v9").err != nil {
			b.Fatal("bad data")
		}
	}
}
