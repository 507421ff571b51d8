package leaseflow_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/driver"
	"github.com/fencelint/fencelint/internal/leaseflow"
	"github.com/fencelint/fencelint/internal/models"
	"github.com/fencelint/fencelint/passes"
)

// facts are the sizes of the facts that a run exports, by package and object.
type facts struct {
	mu    sync.Mutex
	sizes map[string]int
	err   error
}

// watch notes what an analysis exports.
func (f *facts) watch(flow *analysis.Analyzer) {
	run := flow.Run
	flow.Run = func(pass *analysis.Pass) (any, error) {
		watched := *pass
		export := pass.ExportObjectFact
		watched.ExportObjectFact = func(obj types.Object, fact analysis.Fact) {
			export(obj, fact)
			f.note(obj.Pkg().Path()+" "+obj.String(), fact)
		}
		return run(&watched)
	}
}

func (f *facts) note(name string, fact analysis.Fact) {
	var buf bytes.Buffer
	err := gob.NewEncoder(&buf).Encode(fact)
	if err == nil {
		again := new(leaseflow.Summary)
		size := buf.Len()
		if err = gob.NewDecoder(&buf).Decode(again); err == nil && !sameJSON(fact, again) {
			err = fmt.Errorf("%s: the fact is another one after gob", name)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.sizes[name] = size
	}
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.err = err
	}
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// analyse runs all rules in dir and returns the outcome and the facts.
func analyse(t *testing.T, dir string) (*driver.Outcome, *facts) {
	t.Helper()
	seen := &facts{sizes: map[string]int{}}
	memo := leaseflow.NewMemo()
	out, err := driver.Run(t.Context(), driver.Options{
		Dir: dir, Root: dir, Config: config.Default(),
		Suite: driver.Suite{
			Analyzers: func(cat *models.Catalogue, enabled func(string) bool) (*analysis.Analyzer, []*analysis.Analyzer) {
				flow, rules := passes.New(leaseflow.Config{Catalogue: cat, Memo: memo}, enabled)
				seen.watch(flow)
				return flow, rules
			},
			Infer: passes.Infer,
		},
	})
	require.NoError(t, err)
	require.Empty(t, out.Document.Errors)
	require.NoError(t, seen.err)
	return out, seen
}

// module writes an archive beside the client that its programs call.
func module(t *testing.T, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "redis"), os.DirFS("../../cmd/fencelint/testdata/redis")))
	require.NoError(t, txtar.Write(txtar.Parse([]byte(archive)), dir))
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	return dir
}

// found returns "path:line rule" of the findings.
func found(out *driver.Outcome) []string {
	var all []string
	for _, f := range out.Document.Findings {
		all = append(all, fmt.Sprintf("%s:%d %s", f.Location.Path, f.Location.Start.Line, f.Rule))
	}
	return all
}

const goMod = `
-- go.mod --
module example.com/m
go 1.26
require github.com/redis/go-redis/v9 v9.0.0
replace github.com/redis/go-redis/v9 => ./redis
`

// What a wrapper in another module does is known at its callers.
func TestFactsOfAnotherModule(t *testing.T) {
	dir := module(t, `
-- app/go.mod --
module example.com/app
go 1.26
require (
	example.com/wrap v0.0.0
	github.com/redis/go-redis/v9 v9.0.0
)
replace example.com/wrap => ../wrap
replace github.com/redis/go-redis/v9 => ../redis
-- app/app.go --
package app

import (
	"context"
	"database/sql"

	"example.com/wrap"
	"github.com/redis/go-redis/v9"
)

func run(ctx context.Context, rdb *redis.Client, db *sql.DB) error {
	unlock, err := wrap.Take(ctx, rdb, "walls")
	if err != nil {
		return err
	}
	defer unlock()
	_, err = db.ExecContext(ctx, "UPDATE walls SET color = 'red' WHERE id = 1")
	return err
}
-- wrap/go.mod --
module example.com/wrap
go 1.26
require github.com/redis/go-redis/v9 v9.0.0
replace github.com/redis/go-redis/v9 => ../redis
-- wrap/wrap.go --
package wrap

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

func Take(ctx context.Context, rdb *redis.Client, name string) (func(), error) {
	ok, err := rdb.SetNX(ctx, "lock:"+name, 1, time.Minute).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("busy")
	}
	return func() { rdb.Del(context.WithoutCancel(ctx), "lock:"+name) }, nil
}
`)
	out, seen := analyse(t, filepath.Join(dir, "app"))
	require.Equal(t, []string{"app.go:17 unfencedwrite"}, found(out), "the other module's own fault is not ours to report")
	require.Contains(t, strings.Join(slices.Collect(maps.Keys(seen.sizes)), "\n"), "example.com/wrap func example.com/wrap.Take")
}

// The facts of real programs, and of the clients below them that are no
// clients in the catalogue, come through gob as they were and stay small.
func TestFactsAreSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("loads client libraries")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("../../testdata", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	for _, name := range []string{"keyonlyrelease", "ttlcheck", "unfencedwrite"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("../../testdata", name))))
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	_, seen := analyse(t, dir)
	require.NotEmpty(t, seen.sizes)
	sum := 0
	for name, size := range seen.sizes {
		require.Less(t, size, 8<<10, "bytes of the fact of %s", name)
		sum += size
	}
	require.Less(t, sum, 750<<10, "bytes of all facts")
	t.Logf("%d facts, %d bytes", len(seen.sizes), sum)
}

// Implementations are merged in no particular order; the result has one.
func TestRunsAreAlike(t *testing.T) {
	var src strings.Builder
	src.WriteString(goMod)
	src.WriteString(`
-- m.go --
package m

import (
	"context"
	"database/sql"
	"time"

	"github.com/redis/go-redis/v9"
)

type Store interface {
	Save(ctx context.Context, id string) error
}

func run(ctx context.Context, rdb *redis.Client, s Store, id string) error {
	ok, err := rdb.SetNX(ctx, "lock:"+id, 1, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer rdb.Del(ctx, "lock:"+id)
	return s.Save(ctx, id)
}
`)
	for i := range 14 { // more than a summary keeps
		fmt.Fprintf(&src, `
type store%[1]d struct{ db *sql.DB }

func (s *store%[1]d) Save(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, "UPDATE table%[1]d SET n = 1 WHERE id = $1", id)
	return err
}
`, i)
	}
	dir := module(t, src.String())
	var first string
	for i := range 6 {
		out, _ := analyse(t, dir)
		doc, err := json.Marshal(out.Document)
		require.NoError(t, err)
		text := string(doc) + models.Format(out.Inferred)
		if i == 0 {
			first = text
			require.Contains(t, text, "unfencedwrite")
			require.Contains(t, text, "keyonlyrelease")
		}
		require.Equal(t, first, text)
	}
}

// A package of the size that generators make is analysed, and the one fault in
// it found.
func TestFiftyThousandLines(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses 50,000 lines")
	}
	var src strings.Builder
	src.WriteString(goMod)
	src.WriteString(`
-- m.go --
package m

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)
`)
	lines := func() int { return strings.Count(src.String(), "\n") }
	for i := 0; lines() < 50_000; i++ {
		callee := "nothing"
		if i > 0 {
			callee = fmt.Sprintf("read%d", i-1)
		}
		fmt.Fprintf(&src, `
type record%[1]d struct {
	rdb  *redis.Client
	name string
}

func (r *record%[1]d) key() string {
	return "record:%[1]d:" + r.name
}

func read%[1]d(ctx context.Context, r *record%[1]d) (string, error) {
	v, err := r.rdb.Get(ctx, r.key()).Result()
	if err != nil {
		return "", err
	}
	for i := range len(v) {
		if v[i] == ' ' {
			return v[:i], nil
		}
	}
	if v == "" {
		return %[2]s(ctx, nil)
	}
	return v, nil
}
`, i, callee)
	}
	src.WriteString(`
func nothing(context.Context, any) (string, error) { return "", nil }

func planted(ctx context.Context, rdb *redis.Client) error {
	ok, err := rdb.SetNX(ctx, "lock:planted", 1, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	return rdb.Del(ctx, "lock:planted").Err()
}
`)
	dir := module(t, src.String())
	before := processor(t)
	out, _ := analyse(t, dir)
	require.Len(t, out.Document.Findings, 1)
	require.Equal(t, "keyonlyrelease", out.Document.Findings[0].Rule)
	used := processor(t) - before
	t.Logf("%v of processor time", used)
	require.Less(t, used, 90*time.Second, "processor time; the clock depends on what else runs")
}

// processor returns the processor time that this process has used.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
