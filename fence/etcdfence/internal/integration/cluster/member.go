package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/fencelint/fencelint/fence/internal/integration/servers"
)

// A Member is one etcd process.
type Member struct {
	binary       Binary
	name, dir    string
	port, peer   int
	peers, token string

	cmd  *exec.Cmd
	done chan struct{}
}

func newMember(b Binary, name, dir string) (*Member, error) {
	m := &Member{binary: b, name: name, dir: filepath.Join(dir, name)}
	var err error
	if m.port, err = freePort(); err != nil {
		return nil, err
	}
	m.peer, err = freePort()
	return m, err
}

// Address is where clients reach it, host and port.
func (m *Member) Address() string { return fmt.Sprintf("127.0.0.1:%d", m.port) }

func (m *Member) peerURL() string { return fmt.Sprintf("http://127.0.0.1:%d", m.peer) }

func (m *Member) log() string { return m.dir + ".log" }

// spawn starts the process. Short election timeouts allow leases of a second.
func (m *Member) spawn() error {
	log, err := os.OpenFile(m.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(m.binary.Path, append([]string{
		"--name", m.name, "--data-dir", m.dir, "--log-level", "error",
		"--listen-client-urls", "http://" + m.Address(), "--advertise-client-urls", "http://" + m.Address(),
		"--listen-peer-urls", m.peerURL(), "--initial-advertise-peer-urls", m.peerURL(),
		"--initial-cluster", m.peers, "--initial-cluster-token", m.token,
		"--heartbeat-interval", "50", "--election-timeout", "500",
	}, m.binary.Flags...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // a killed server has no good status
		close(done)
	}()
	m.cmd, m.done = cmd, done
	return nil
}

// Pid is the process that runs.
func (m *Member) Pid() int { return m.cmd.Process.Pid }

// Kill ends the process as kill -9 does.
func (m *Member) Kill() {
	if m.cmd == nil {
		return
	}
	_ = m.cmd.Process.Kill() // one that is gone needs no signal
	<-m.done
	m.cmd = nil
}

// Restart starts a killed member on its data.
func (m *Member) Restart() error { return m.spawn() }

// Pause stops the process as SIGSTOP does, and returns when it stands.
func (m *Member) Pause() error { return servers.Stop(m.cmd.Process.Pid) }

// Resume continues a process that was paused.
func (m *Member) Resume() error { return m.cmd.Process.Signal(syscall.SIGCONT) }
