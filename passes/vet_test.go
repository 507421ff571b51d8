package passes_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

const direct = `
-- go.mod --
module example.com/m
go 1.26
require github.com/redis/go-redis/v9 v9.0.0
replace github.com/redis/go-redis/v9 => ./redis
-- locks/locks.go --
package locks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type Locker struct{ RDB *redis.Client }

func (l *Locker) Lock(ctx context.Context, name string) (bool, error) {
	return l.RDB.SetNX(ctx, "lock:"+name, 1, time.Minute).Result()
}

func (l *Locker) Unlock(ctx context.Context, name string) error {
	return l.RDB.Del(ctx, "lock:"+name).Err()
}
-- stock/stock.go --
package stock

import (
	"context"
	"database/sql"
)

type Table struct{ DB *sql.DB }

func (t *Table) Take(ctx context.Context, id string) error {
	var n int
	if err := t.DB.QueryRowContext(ctx, "SELECT n FROM stock WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	_, err := t.DB.ExecContext(ctx, "UPDATE stock SET n = $2 WHERE id = $1", id, n-1)
	return err
}

func (t *Table) TakeVersion(ctx context.Context, id string, version int) error {
	_, err := t.DB.ExecContext(ctx, "UPDATE stock SET n = n - 1, version = version + 1 WHERE id = $1 AND version = $2", id, version)
	return err
}
-- main.go --
package main

import (
	"context"

	"example.com/m/locks"
	"example.com/m/stock"
)

func sell(ctx context.Context, l *locks.Locker, t *stock.Table, id string) error {
	ok, err := l.Lock(ctx, id)
	if err != nil || !ok {
		return err
	}
	defer l.Unlock(ctx, id)
	return t.Take(ctx, id)
}

func sellVersion(ctx context.Context, l *locks.Locker, t *stock.Table, id string) error {
	ok, err := l.Lock(ctx, id)
	if err != nil || !ok {
		return err
	}
	defer l.Unlock(ctx, id)
	return t.TakeVersion(ctx, id, 7)
}

func main() {
	_ = sell(context.Background(), nil, nil, "a")
	_ = sellVersion(context.Background(), nil, nil, "a")
}
`

// hidden is the same behind interfaces, whose implementations no package sees
// that uses them.
const hidden = `
-- port/port.go --
package port

import "context"

type Locker interface {
	Lock(ctx context.Context, name string) (bool, error)
	Unlock(ctx context.Context, name string) error
}

type Stock interface {
	Take(ctx context.Context, id string) error
	TakeVersion(ctx context.Context, id string, version int) error
}
-- main.go --
package main

import (
	"context"

	"example.com/m/locks"
	"example.com/m/sale"
	"example.com/m/stock"
)

func main() { _ = sale.Sell(context.Background(), &locks.Locker{}, &stock.Table{}, "a") }
-- sale/sale.go --
package sale

import (
	"context"

	"example.com/m/port"
)

func Sell(ctx context.Context, l port.Locker, t port.Stock, id string) error {
	ok, err := l.Lock(ctx, id)
	if err != nil || !ok {
		return err
	}
	defer l.Unlock(ctx, id)
	return t.Take(ctx, id)
}

func SellVersion(ctx context.Context, l port.Locker, t port.Stock, id string) error {
	ok, err := l.Lock(ctx, id)
	if err != nil || !ok {
		return err
	}
	defer l.Unlock(ctx, id)
	return t.TakeVersion(ctx, id, 7)
}
`

// TestVetAgrees runs the linter by itself and under go vet, which sees one
// package at a time and knows of the others what the facts say.
func TestVetAgrees(t *testing.T) {
	t.Parallel()
	dir := stubModule(t, direct)
	itself := standalone(t, dir)
	require.Contains(t, itself, "main.go:16 unfencedwrite")
	require.Contains(t, itself, "locks/locks.go:17 keyonlyrelease")
	require.NotContains(t, strings.Join(itself, "\n"), "main.go:25")
	require.Equal(t, itself, vet(t, dir))
}

// TestVetAgreesThroughModels gives go vet what a run of the whole module has
// found out about interfaces.
func TestVetAgreesThroughModels(t *testing.T) {
	t.Parallel()
	dir := stubModule(t, direct, hidden)
	itself := standalone(t, dir)
	require.Contains(t, itself, "sale/sale.go:15 unfencedwrite")
	require.NotContains(t, strings.Join(vet(t, dir), "\n"), "sale/sale.go", "one package does not show what stands behind an interface")

	cmd := exec.CommandContext(t.Context(), binary(t), "models", "-infer")
	cmd.Dir, cmd.Env = dir, alone(dir)
	rows, err := cmd.Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "inferred.models"), rows, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".fencelint.yml"), []byte("models: [inferred.models]\n"), 0o600))
	require.Equal(t, itself, vet(t, dir))
	require.Equal(t, itself, standalone(t, dir), "the rows say what the run finds out by itself")
}

// unheard takes a lock of another package and does not look at the answer.
const unheard = `
-- main.go --
package main

import (
	"context"

	"example.com/m/locks"
)

func report(ctx context.Context, l *locks.Locker) {
	l.Lock(ctx, "report")
	defer l.Unlock(ctx, "report")
	send()
}

func send() { println("sent") }

func main() { report(context.Background(), nil) }
`

// dependent calls two dependencies, one of which takes locks.
const dependent = `
-- go.mod --
module example.com/m
go 1.26
require github.com/redis/go-redis/v9 v9.0.0
require example.com/audit v1.0.0
require example.com/mutex v1.0.0
replace github.com/redis/go-redis/v9 => ./redis
replace example.com/audit => ./audit
replace example.com/mutex => ./mutex
-- audit/go.mod --
module example.com/audit
go 1.26
-- audit/audit.go --
package audit

import (
	"context"
	"database/sql"
)

func Count(ctx context.Context, db *sql.DB, n int) error {
	_, err := db.ExecContext(ctx, "UPDATE calls SET n = n + $1", n)
	return err
}
-- mutex/go.mod --
module example.com/mutex
go 1.26
require github.com/redis/go-redis/v9 v9.0.0
-- mutex/mutex.go --
package mutex

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

func Lock(ctx context.Context, rdb *redis.Client, name, owner string) (bool, error) {
	return rdb.SetNX(ctx, "mutex:"+name, owner, time.Minute).Result()
}

func Unlock(ctx context.Context, rdb *redis.Client, name string) error {
	return rdb.Del(ctx, "mutex:"+name).Err()
}
-- main.go --
package main

import (
	"context"
	"database/sql"

	"example.com/audit"
	"example.com/mutex"
	"github.com/redis/go-redis/v9"
)

func count(ctx context.Context, rdb *redis.Client, db *sql.DB) error {
	if ok, err := mutex.Lock(ctx, rdb, "count", "me"); err != nil || !ok {
		return err
	}
	defer mutex.Unlock(ctx, rdb, "count")
	return audit.Count(ctx, db, 1)
}

func pay(ctx context.Context, rdb *redis.Client, db *sql.DB) error {
	if ok, err := mutex.Lock(ctx, rdb, "pay", "me"); err != nil || !ok {
		return err
	}
	defer mutex.Unlock(ctx, rdb, "pay")
	_, err := db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1")
	return err
}

func main() {
	_ = count(context.Background(), nil, nil)
	_ = pay(context.Background(), nil, nil)
}
`

// TestVetAgreesOnDependencies looks into those that use a lock client, and into
// no others.
func TestVetAgreesOnDependencies(t *testing.T) {
	t.Parallel()
	dir := stubModule(t, dependent)
	require.Contains(t, standalone(t, dir), "main.go:17 unfencedwrite", "modules of the own tree are looked into")

	cmd := exec.CommandContext(t.Context(), "go", "mod", "vendor")
	cmd.Dir, cmd.Env = dir, alone(dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	itself := standalone(t, dir)
	require.Equal(t, []string{"main.go:25 unfencedwrite"}, itself)
	require.Equal(t, itself, vet(t, dir))
}

// TestVetAgreesOnFurtherPasses asks for the passes that are off by default.
func TestVetAgreesOnFurtherPasses(t *testing.T) {
	t.Parallel()
	dir := stubModule(t, direct, unheard)
	require.NotContains(t, strings.Join(standalone(t, dir), "\n"), "lockresult")
	require.NotContains(t, strings.Join(vet(t, dir), "\n"), "lockresult")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".fencelint.yml"), []byte("rules: {enable: [all]}\n"), 0o600))
	itself := standalone(t, dir)
	require.Contains(t, itself, "main.go:10 lockresult")
	require.Equal(t, itself, vet(t, dir))
}

// TestTwoRunsAreAlike compares whole reports.
func TestTwoRunsAreAlike(t *testing.T) {
	t.Parallel()
	dir := stubModule(t, direct, hidden)
	first := string(lintJSON(t, dir))
	require.Contains(t, first, "unfencedwrite")
	for range 2 {
		require.Equal(t, first, string(lintJSON(t, dir)))
	}
}

// stubModule writes a module beside the client that its programs call. Of
// files that stand in several archives the last one counts.
func stubModule(t *testing.T, archives ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "redis"), os.DirFS("../cmd/fencelint/testdata/redis")))
	for _, a := range archives {
		for _, f := range txtar.Parse([]byte(a)).Files {
			name := filepath.Join(dir, f.Name)
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
			require.NoError(t, os.WriteFile(name, f.Data, 0o600))
		}
	}
	return dir
}

// standalone returns "path:line rule" of what the linter finds by itself.
func standalone(t *testing.T, dir string) []string {
	t.Helper()
	doc := lint(t, dir)
	require.Empty(t, doc.Errors)
	var all []string
	for _, f := range doc.Findings {
		all = append(all, fmt.Sprintf("%s:%d %s", f.Location.Path, f.Location.Start.Line, f.Rule))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var vetLine = regexp.MustCompile(`(?m)^(?:vet: )?(\S+\.go):(\d+):\d+: (\w+) \(`)

// vet returns the same of go vet.
func vet(t *testing.T, dir string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "vet", "-vettool="+binary(t), "./...")
	cmd.Dir, cmd.Env = dir, alone(dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.True(t, err == nil || errors.As(err, &exit), "%v: %s", err, out)
	var all []string
	for _, m := range vetLine.FindAllStringSubmatch(string(out), -1) {
		name := m[1]
		if filepath.IsAbs(name) {
			name, err = filepath.Rel(dir, name)
			require.NoError(t, err)
		}
		all = append(all, fmt.Sprintf("%s:%s %s", filepath.ToSlash(filepath.Clean(name)), m[2], m[3]))
	}
	require.Equal(t, exit != nil, len(all) > 0, "%s", out)
	slices.Sort(all)
	return slices.Compact(all)
}
