package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// ErrMissing says that a server program is not installed.
var ErrMissing = errors.New("server program not installed")

// startTimeout bounds one start, crash recovery included. Only a broken
// server, or a machine that is loaded many times over, comes near it.
const startTimeout = 5 * time.Minute

// An engine knows how to make, start and ask one kind of server.
type engine interface {
	name() string
	user() string // the unprivileged system user the server wants
	programs() []string
	initialise(ctx context.Context, s *Server) error
	command(s *Server) *exec.Cmd
	ping(ctx context.Context, s *Server) error
}

// Server is one running database server. Its methods are safe for concurrent
// use, but Kill, Restart and Stop each wait for the one before.
type Server struct {
	Dir  string // data and socket live below it
	Port int

	engine engine
	args   []string
	cred   *syscall.Credential
	claim  net.PacketConn // keeps the port from other tests, see claimPort

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
	log  *os.File
}

// start makes the data directory, starts the server and waits until it
// answers. The extra args go to the server program.
func start(e engine, args ...string) (*Server, error) {
	s, err := prepare(e, args...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := e.initialise(ctx, s); err != nil {
		s.Stop()
		return nil, fmt.Errorf("initialise %s: %w", e.name(), err)
	}
	if err := s.Restart(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// prepare makes the directory and picks the user and the port.
func prepare(e engine, args ...string) (*Server, error) {
	for _, p := range e.programs() {
		if _, err := exec.LookPath(p); err != nil {
			return nil, fmt.Errorf("%w: %s", ErrMissing, p)
		}
	}
	s := &Server{engine: e, args: args}
	var err error
	if s.cred, err = credential(e.user()); err != nil {
		return nil, err
	}
	if s.Port, s.claim, err = claimPort(); err != nil {
		return nil, err
	}
	if s.Dir, err = os.MkdirTemp("", "fence-"+e.name()+"-"); err != nil {
		return nil, err
	}
	if s.cred != nil {
		if err := os.Chown(s.Dir, int(s.cred.Uid), int(s.cred.Gid)); err != nil {
			return nil, err
		}
	}
	if s.log, err = os.Create(filepath.Join(s.Dir, "log")); err != nil {
		return nil, err
	}
	return s, nil
}

// credential is nil unless the tests run as root, whom the servers refuse.
func credential(name string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("%w: no system user %s", ErrMissing, name)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// claimPort finds a loopback TCP port that is free and keeps other tests from
// choosing it too, in this process and in others: a server takes seconds until
// it listens, and of two on one port the second would be taken for ready when
// the first answers. The claim is the UDP port of the same number.
func claimPort() (int, net.PacketConn, error) {
	for {
		claim, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			return 0, nil, fmt.Errorf("claim a port: %w", err)
		}
		port := claim.LocalAddr().(*net.UDPAddr).Port
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, claim, l.Close()
		}
		_ = claim.Close()
		if !errors.Is(err, syscall.EADDRINUSE) {
			return 0, nil, fmt.Errorf("claim a port: %w", err)
		}
	}
}

// run runs a tool as the server's user and gives its output.
func (s *Server) run(ctx context.Context, in []byte, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred, Pdeathsig: syscall.SIGKILL}
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(name), err, stderr.Bytes())
	}
	return out, nil
}

// Restart starts the server on the data it has and waits until it answers. It
// is for a server that was killed: on a running one it fails.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		if err := s.spawn(); err != nil {
			return err
		}
		err := s.untilReady(ctx)
		if err == nil {
			return nil
		}
		s.kill()
		// A server that has just been killed may still hold its data for
		// a moment, and the next one then exits at once.
		if ctx.Err() != nil {
			return fmt.Errorf("start %s: %w\n%s", s.engine.name(), err, s.Log())
		}
	}
}

func (s *Server) spawn() error {
	if s.cmd != nil {
		return fmt.Errorf("%s runs already", s.engine.name())
	}
	cmd := s.engine.command(s)
	cmd.Dir = s.Dir
	cmd.Stdout, cmd.Stderr = s.log, s.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred, Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.engine.name(), err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // a killed server has no good status
		close(done)
	}()
	s.cmd, s.done = cmd, done
	return nil
}

func (s *Server) untilReady(ctx context.Context) error {
	for {
		try, cancel := context.WithTimeout(ctx, startTimeout/10)
		err := s.engine.ping(try, s)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-s.done:
			return fmt.Errorf("%s exited: %w", s.engine.name(), err)
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
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

// Kill ends the server and all its processes as kill -9 does. The data stays
// for Restart.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill()
}

func (s *Server) kill() {
	if s.cmd == nil {
		return
	}
	// Stopped first, the parent forks no child behind the list's back.
	signalTree(s.cmd.Process.Pid, syscall.SIGSTOP)
	signalTree(s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.done
	s.cmd = nil
}

// Pause stops every process of the server as SIGSTOP does, and returns when all
// of them stand.
func (s *Server) Pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		overTree(s.cmd.Process.Pid, func(pid int) { _ = Stop(pid) }) // one that is gone needs no signal
	}
}

// Resume continues a paused server.
func (s *Server) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		signalTree(s.cmd.Process.Pid, syscall.SIGCONT)
	}
}

// Stop ends the server and removes its data.
func (s *Server) Stop() {
	s.Kill()
	_ = s.log.Close()
	_ = s.claim.Close()
	_ = os.RemoveAll(s.Dir) // a temporary directory that stays is no failure of a test
}
