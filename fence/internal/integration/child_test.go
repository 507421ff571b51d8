package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
	"github.com/fencelint/fencelint/fence/internal/integration/servers"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
	"github.com/fencelint/fencelint/fence/sqlfence"
)

// A re-executed test binary finds its role and its job in the environment.
const (
	roleVariable = "FENCE_TEST_ROLE"
	jobVariable  = "FENCE_TEST_JOB"
)

// child is the main function of a re-executed test binary.
func child(role string) int {
	roles := map[string]func(context.Context) error{"worker": workerRole, "writer": writerRole, "holder": holderRole}
	run, ok := roles[role]
	if !ok {
		fmt.Fprintln(os.Stderr, "unknown role", role)
		return 2
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// readJob decodes the job of this child.
func readJob(v any) error { return json.Unmarshal([]byte(os.Getenv(jobVariable)), v) }

// A process is a started child.
type process struct {
	cmd    *exec.Cmd
	out    io.ReadCloser
	stderr bytes.Buffer
}

// startChild starts a child. It dies with the test.
func startChild(t testing.TB, role string, job any) *process {
	t.Helper()
	text, err := json.Marshal(job)
	require.NoError(t, err)
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+role, jobVariable+"="+string(text))
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.cmd.Stderr = &p.stderr
	p.out, err = p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it has ended unless the test failed
		_ = p.cmd.Wait()
	})
	return p
}

// untilStopped waits until a child has stopped itself by SIGSTOP.
func (p *process) untilStopped(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
		state, err := servers.State(p.cmd.Process.Pid)
		require.NoError(t, err)
		if state == servers.Stopped {
			return
		}
		if state == servers.Ended {
			out, _ := io.ReadAll(p.out)
			t.Fatalf("the child has ended: %s%s", out, &p.stderr)
		}
		require.True(t, time.Now().Before(end), "the child did not stop: %s", &p.stderr)
	}
}

func (p *process) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(sig))
}

// finish reads what the child says until it ends.
func (p *process) finish(t testing.TB) string {
	t.Helper()
	out, err := io.ReadAll(p.out)
	require.NoError(t, err)
	require.NoError(t, p.cmd.Wait(), "child: %s", &p.stderr)
	return string(out)
}

// stop stops this process at this very place. A signal that a thread sends to
// itself is taken before the call returns, and SIGSTOP then stops all threads.
func stop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, _, errno := syscall.Syscall(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(syscall.Gettid()), uintptr(syscall.SIGSTOP))
	if errno != 0 {
		panic(errno)
	}
}

// A job of a worker: acquire, register or claim, read, write, release, and
// stop at one of the points.
type job struct {
	Place stores.Place
	Point string
	Claim bool
	Name  string
	TTL   time.Duration
}

// An outcome is what a worker tells about itself.
type outcome struct {
	Err         string
	Stale       bool // ErrStale from the guard or the write
	Wrote       bool // the write was acknowledged
	ReleaseLost bool
}

// stoppingGuard stops on the way from the lock to the guard.
type stoppingGuard struct {
	*sqlfence.Guard
	at func(string)
}

func (g *stoppingGuard) Register(ctx context.Context, grant driver.Grant) error {
	g.at(proof.AfterAcquire)
	return g.Guard.Register(context.WithoutCancel(ctx), grant)
}

func (g *stoppingGuard) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	g.at(proof.AfterAcquire)
	return g.Guard.Claim(context.WithoutCancel(ctx), resource, owner)
}

// stoppingLocker stops before the release.
type stoppingLocker struct {
	*sqlfence.Locker
	at       func(string)
	renewing *sync.Mutex // held by every renewal, and by the stop
}

func (l *stoppingLocker) Extend(ctx context.Context, h driver.Hold, ttl time.Duration) error {
	l.renewing.Lock()
	defer l.renewing.Unlock()
	return l.Locker.Extend(ctx, h, ttl)
}

func (l *stoppingLocker) Release(ctx context.Context, h driver.Hold) error {
	l.at(proof.BeforeRelease)
	return l.Locker.Release(context.WithoutCancel(ctx), h)
}

// workerRole is the worker of the article: it stalls, and goes on as if
// nothing had happened. It disregards cancelled contexts, for what is proved
// is that the store refuses.
func workerRole(ctx context.Context) error {
	var j job
	if err := readJob(&j); err != nil {
		return err
	}
	var out outcome
	var renewing sync.Mutex // who stops in the midst of a write to SQLite keeps the file
	at := func(point string) {
		if point == j.Point && (out.Wrote || point != proof.BeforeRelease) {
			renewing.Lock()
			defer renewing.Unlock()
			stop()
		}
	}
	edit := &stores.Edit{Change: func(text string) string {
		if strings.HasPrefix(text, "UPDATE item") || strings.Contains(text, ") UPDATE item") {
			at(proof.AfterSend) // where there is no wire: when the statement is handed over
		}
		return text
	}}
	s, err := stores.OpenEdited(j.Place, edit)
	if err != nil {
		return err
	}
	defer s.Close()
	client := fence.New(&stoppingLocker{s.Locker, at, &renewing}, fence.WithTTL(j.TTL), fence.WithReleaseTimeout(time.Minute),
		fence.WithTrace(&fence.Trace{ReleaseLost: func(fence.Event) { out.ReleaseLost = true }}))
	guard := &stoppingGuard{s.Guard, at}
	prepare := fence.Registering(guard)
	if j.Claim {
		prepare = fence.Claiming(guard)
	}
	work := func(ctx context.Context, l *fence.Lease) error {
		ctx = context.WithoutCancel(ctx)
		grant, err := l.Grant(guard)
		if err != nil {
			return err
		}
		at(proof.AfterRegister)
		value, err := s.Read(ctx, j.Name)
		if err != nil {
			return err
		}
		at(proof.AfterRead)
		err = set(ctx, s, grant, j.Name, value+" A")
		out.Wrote = err == nil
		return err
	}
	// On a loaded machine a short lease may end before there is a guard.
	for err = fence.ErrLost; errors.Is(err, fence.ErrLost); {
		out = outcome{}
		err = client.Do(ctx, j.Name, work, prepare)
	}
	if err != nil {
		out.Err, out.Stale = err.Error(), errors.Is(err, fence.ErrStale)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// set is a write in one statement.
func set(ctx context.Context, s *stores.Store, grant driver.Grant, key, value string) error {
	res, err := s.Guard.Exec(ctx, grant, s.Text("UPDATE item SET value = $1 WHERE id = $2 AND "+sqlfence.Marker), value, key)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("changed %d rows: %w", n, err)
	}
	return nil
}
