package passes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// fenced is a module that works with the runtime library of this repository.
const fenced = `
-- go.mod --
module example.com/m
go 1.26
require github.com/fencelint/fencelint/fence v0.0.0
replace github.com/fencelint/fencelint/fence => ./fence
-- main.go --
package main

import (
	"context"
	"database/sql"
	"net/http"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/httpfence"
	"github.com/fencelint/fencelint/fence/memfence"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

type ledger struct {
	client *fence.Client
	db     *sql.DB
	guard  *sqlfence.Guard
	mem    *memfence.Store
}

func (l *ledger) guarded(ctx context.Context) error {
	return l.client.Do(ctx, "ledger", func(ctx context.Context, lease *fence.Lease) error {
		grant, err := lease.Grant(l.guard)
		if err != nil {
			return err
		}
		var n int
		if err := l.db.QueryRowContext(ctx, "SELECT n FROM ledger WHERE id = 1").Scan(&n); err != nil {
			return err
		}
		_, err = l.guard.Exec(ctx, grant, "UPDATE ledger SET n = $1 WHERE id = 1", n+1)
		return err
	}, fence.Guarding(l.guard))
}

func (l *ledger) inTransaction(ctx context.Context) error {
	lease, err := l.client.Acquire(ctx, "ledger", fence.Guarding(l.guard))
	if err != nil {
		return err
	}
	defer lease.Release(ctx)
	grant, err := lease.Grant(l.guard)
	if err != nil {
		return err
	}
	return l.guard.Tx(ctx, grant, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE ledger SET n = n + 1 WHERE id = 1")
		return err
	})
}

func (l *ledger) checked(ctx context.Context, lease *fence.Lease) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	grant, err := lease.Grant(l.guard)
	if err != nil {
		return err
	}
	if err := l.guard.Check(ctx, tx, grant); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE ledger SET n = n + 1 WHERE id = 1"); err != nil {
		return err
	}
	return tx.Commit()
}

func (l *ledger) inMemory(ctx context.Context) error {
	return l.client.Do(ctx, "ledger", func(ctx context.Context, lease *fence.Lease) error {
		grant, err := lease.Grant(l.mem)
		if err != nil {
			return err
		}
		return l.mem.Put(ctx, grant, "total", "7")
	}, fence.Guarding(l.mem))
}

func (l *ledger) plain(ctx context.Context) error {
	return l.client.Do(ctx, "ledger", func(ctx context.Context, lease *fence.Lease) error {
		_, err := l.db.ExecContext(ctx, "UPDATE ledger SET n = n + 1 WHERE id = 1") // unfencedwrite
		return err
	}, fence.Guarding(l.guard))
}

func (l *ledger) plainAfterAcquire(ctx context.Context) error {
	lease, err := l.client.TryAcquire(ctx, "ledger")
	if err != nil {
		return err
	}
	defer lease.Release(ctx)
	_, err = l.db.ExecContext(ctx, "UPDATE ledger SET n = n + 1 WHERE id = 1") // unfencedwrite
	return err
}

func (l *ledger) comparedHere(ctx context.Context, grant fence.Grant) error {
	seen, err := l.guard.Seen(ctx, "ledger")
	if err != nil {
		return err
	}
	if grant.Token < seen.Token {
		return fence.ErrStale
	}
	_, err = l.db.ExecContext(ctx, "UPDATE ledger SET n = n + 1 WHERE id = 1") // ttlcheck
	return err
}

func (l *ledger) handler() http.Handler {
	return httpfence.Require(func(*http.Request) string { return "ledger" }, nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := l.db.ExecContext(r.Context(), "UPDATE ledger SET n = n + 1 WHERE id = 1"); err != nil { // unfencedwrite
			httpfence.WriteError(w, err)
		}
	}))
}

func (l *ledger) guardedHandler() http.Handler {
	return httpfence.Require(func(*http.Request) string { return "ledger" }, l.guard, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		grant, ok := fence.FromContext(r.Context())
		if !ok {
			return
		}
		if _, err := l.guard.Exec(r.Context(), grant, "UPDATE ledger SET n = n + 1 WHERE id = 1"); err != nil {
			httpfence.WriteError(w, err)
		}
	}))
}

func main() { _ = new(ledger) }
`

// TestFenceIsUnderstood looks at programs that use the runtime library. Each
// line that ends in the name of a rule gets that finding, and no other line any.
func TestFenceIsUnderstood(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "fence"), os.DirFS("../fence")))
	var want []string
	for _, f := range txtar.Parse([]byte(fenced)).Files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600))
		for i, line := range strings.Split(string(f.Data), "\n") {
			if _, rule, ok := strings.Cut(line, " // "); ok {
				want = append(want, fmt.Sprintf("%s:%d %s", f.Name, i+1, rule))
			}
		}
	}
	doc := lint(t, dir, "-enable", "all", ".")
	require.Empty(t, doc.Errors)
	var got []string
	for _, f := range doc.Findings {
		got = append(got, fmt.Sprintf("%s:%d %s", f.Location.Path, f.Location.Start.Line, f.Rule))
	}
	require.ElementsMatch(t, want, got)
}
