package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	processes "github.com/fencelint/fencelint/fence/internal/integration/servers"
	"github.com/redis/go-redis/v9"
)

// startTimeout bounds one start. Only a broken server, or a machine that is
// loaded many times over, comes near it.
const startTimeout = 2 * time.Minute

// A Server is one redis-server. Its methods are for one goroutine at a time.
type Server struct {
	Dir  string
	Port int

	command []string
	args    []string
	env     []string

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
	log  *os.File
}

// Start starts a server; args go to the program, after what keeps it on
// loopback and, unless they say otherwise, from writing to disk. It ends with
// the test.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	return StartEnv(tb, nil, args...)
}

// StartEnv is Start with variables of the environment.
func StartEnv(tb testing.TB, env []string, args ...string) *Server {
	tb.Helper()
	s, err := start(env, []string{"redis-server"}, args...)
	Require(tb, err)
	tb.Cleanup(s.Stop)
	return s
}

// StartShared is Start for a server that tests share: the caller stops it.
func StartShared(args ...string) (*Server, error) {
	return start(nil, []string{"redis-server"}, args...)
}

// ErrMissing says that a program is not installed.
var ErrMissing = errors.New("program not installed")

// Require ends a test that has no server: it skips where the program is not
// installed, and fails on every other error and where CI=true.
func Require(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case err == nil:
	case errors.Is(err, ErrMissing) && os.Getenv("CI") != "true":
		tb.Skipf("needs a Redis server: %v (install redis-server and faketime)", err)
	default:
		tb.Fatalf("needs a Redis server: %v", err)
	}
}

// start runs command, a program with its first arguments, and then args.
func start(env, command []string, args ...string) (*Server, error) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return nil, fmt.Errorf("%w: redis-server", ErrMissing)
	}
	var last error
	for range 5 { // another process may take the port in between
		port, err := FreePort()
		if err != nil {
			return nil, err
		}
		dir, err := os.MkdirTemp("", "redisfence-")
		if err != nil {
			return nil, err
		}
		s := &Server{Dir: dir, Port: port, command: command, args: args, env: env}
		if s.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		last = s.Restart(ctx)
		cancel()
		if last == nil {
			return s, nil
		}
		s.Stop()
	}
	return nil, last
}

// FreePort finds a loopback TCP port that is free now, and leaves room for the
// bus port of a cluster 10000 above it.
func FreePort() (int, error) {
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		if port < 55000 {
			return port, nil
		}
		bus, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port-10000))
		if err != nil {
			continue
		}
		_ = bus.Close()
		return port - 10000, nil
	}
}

// Addr is where the server listens.
func (s *Server) Addr() string { return "127.0.0.1:" + strconv.Itoa(s.Port) }

// Client makes a client that is closed with the test.
func (s *Server) Client(tb testing.TB) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), MaintNotificationsConfig: quiet()})
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// Restart starts the server on the data it has and waits until it answers.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		return errors.New("redis-server runs already")
	}
	args := append(slices.Clip(s.command[1:]), "--port", strconv.Itoa(s.Port), "--bind", "127.0.0.1", "--dir", s.Dir)
	if len(s.command) == 1 { // Sentinel knows none of these
		args = append(args, "--save", "", "--repl-diskless-sync-delay", "0")
	}
	cmd := exec.Command(s.command[0], append(args, s.args...)...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Dir = s.Dir
	cmd.Stdout, cmd.Stderr = s.log, s.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	done, started := make(chan struct{}), make(chan error)
	go func() {
		// Pdeathsig means the death of the parent thread: keep it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // a killed server has no good status
		}
		close(done)
	}()
	if err := <-started; err != nil {
		return err
	}
	s.cmd, s.done = cmd, done
	if err := s.untilReady(ctx); err != nil {
		s.kill()
		return fmt.Errorf("start redis-server: %w\n%s", err, s.Log())
	}
	return nil
}

func (s *Server) untilReady(ctx context.Context) error {
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), MaxRetries: -1, MaintNotificationsConfig: quiet()})
	defer c.Close()
	for {
		err := c.Ping(ctx).Err()
		if err == nil {
			return nil
		}
		select {
		case <-s.done:
			return fmt.Errorf("it exited: %w", err)
		case <-ctx.Done():
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Log gives the end of what the server has said.
func (s *Server) Log() string {
	b, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4096):])
}

// Pid is the process that runs.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cmd.Process.Pid
}

// Kill ends the server as kill -9 does. The data stays for Restart.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill()
}

func (s *Server) kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGKILL)
	<-s.done
	s.cmd = nil
}

// Pause stops the server as SIGSTOP does, and returns when it stands.
func (s *Server) Pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = processes.Stop(s.cmd.Process.Pid) // one that is gone needs no signal
	}
}

// Resume continues a paused server.
func (s *Server) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGCONT)
	}
}

// Stop ends the server and removes its data.
func (s *Server) Stop() {
	s.Kill()
	_ = s.log.Close()
	_ = os.RemoveAll(s.Dir)
}
