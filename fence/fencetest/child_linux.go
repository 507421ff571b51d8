package fencetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence"
)

// childVariable carries role and arguments to a re-executed test binary.
const childVariable = "FENCETEST_CHILD"

// A Role is what a child process does. The error it returns is that of
// [Child.Wait].
type Role func(*Side) error

// Main runs tests, or a role if this process is a child that [Start] made. Call
// it from TestMain; it does not return. Linux only.
func Main(m *testing.M, roles map[string]Role) {
	text, child := os.LookupEnv(childVariable)
	if !child {
		os.Exit(m.Run())
	}
	var order childOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil || roles[order.Role] == nil {
		fmt.Fprintf(os.Stderr, "fencetest: no role for %q\n", text)
		os.Exit(2)
	}
	s := &Side{Args: order.Args, out: json.NewEncoder(os.NewFile(3, "out")), in: bufio.NewReader(os.NewFile(4, "in"))}
	s.send(endMessage(roles[order.Role](s)))
	os.Exit(0)
}

type childOrder struct {
	Role string
	Args []string
}

// A childMessage goes from child to parent: it is at a point, says something,
// or has ended.
type childMessage struct {
	At, Say string
	End     bool
	Error   string
	Is      []int // indexes into carried
}

// carried are the errors whose identity crosses the process boundary.
var carried = []error{
	fence.ErrNotAcquired, fence.ErrNotOwner, fence.ErrStale, fence.ErrIssuer, fence.ErrRegressed, fence.ErrBusy,
	fence.ErrDuplicate, fence.ErrUncertain, fence.ErrUnavailable, fence.ErrUnsupported, fence.ErrInvalid, fence.ErrLost,
}

func endMessage(err error) childMessage {
	m := childMessage{End: true}
	if err == nil {
		return m
	}
	m.Error = err.Error()
	for i, e := range carried {
		if errors.Is(err, e) {
			m.Is = append(m.Is, i)
		}
	}
	return m
}

// A childError is an error of a role, with its identities.
type childError struct{ m childMessage }

func (e *childError) Error() string { return e.m.Error }

func (e *childError) Is(target error) bool {
	for _, i := range e.m.Is {
		if carried[i] == target {
			return true
		}
	}
	return false
}

// A Side is the child's end of the connection. Its methods are for one goroutine.
type Side struct {
	Args []string // of Start

	out *json.Encoder
	in  *bufio.Reader
}

// At tells the parent that the child has come to point, and returns when the
// parent calls [Child.Go]. If the parent is gone, the process ends.
func (s *Side) At(point string) {
	s.send(childMessage{At: point})
	if _, err := s.in.ReadString('\n'); err != nil {
		os.Exit(2)
	}
}

// Say adds a line to the parent's timeline.
func (s *Side) Say(format string, args ...any) {
	s.send(childMessage{Say: fmt.Sprintf(format, args...)})
}

func (s *Side) send(m childMessage) {
	if s.out.Encode(m) != nil {
		os.Exit(2)
	}
}

// A Child is a running copy of the test binary in some role. Its methods are
// for one goroutine and end the test if the child does not do as expected.
type Child struct {
	tb       testing.TB
	name     string
	timeline *Timeline
	cmd      *exec.Cmd
	in       io.Writer
	messages chan childMessage
	gone     chan struct{}
}

// Start re-executes the test binary in the given role. The child's name is used
// in timeline, which may be nil. The child is killed when the test or this
// process ends.
func Start(tb testing.TB, timeline *Timeline, name, role string, args ...string) *Child {
	tb.Helper()
	if timeline == nil {
		timeline = new(Timeline)
	}
	order, err := json.Marshal(childOrder{role, args})
	sure(tb, err, "order for the child")
	outR, outW, err := os.Pipe()
	sure(tb, err, "pipe")
	inR, inW, err := os.Pipe()
	sure(tb, err, "pipe")

	self, err := os.Executable()
	sure(tb, err, "test binary")
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"="+string(order))
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{outW, inR}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}

	c := &Child{tb: tb, name: name, timeline: timeline, cmd: cmd, in: inW,
		messages: make(chan childMessage, 64), gone: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Pdeathsig means the death of the parent thread: keep it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		outW.Close()
		inR.Close()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(c.gone)
	}()
	sure(tb, <-started, "start of the child")
	go c.listen(outR)
	tb.Cleanup(func() {
		c.Kill()
		inW.Close()
	})
	return c
}

func (c *Child) listen(r *os.File) {
	defer close(c.messages)
	defer r.Close()
	for d := json.NewDecoder(r); ; {
		var m childMessage
		if d.Decode(&m) != nil {
			return
		}
		switch {
		case m.Say != "":
			c.timeline.Add(c.name, "%s", m.Say)
			continue
		case m.At != "":
			c.timeline.Add(c.name, "is at: %s", m.At)
		case m.Error != "":
			c.timeline.Add(c.name, "ends: %s", m.Error)
		}
		c.messages <- m
	}
}

// next returns the next message.
func (c *Child) next(awaiting string) childMessage {
	c.tb.Helper()
	select {
	case m, ok := <-c.messages:
		if !ok {
			c.tb.Fatalf("%s died, awaiting %s\n%v", c.name, awaiting, c.timeline)
		}
		return m
	case <-time.After(patience(c.tb)):
		c.tb.Fatalf("%s is silent, awaiting %s\n%v", c.name, awaiting, c.timeline)
	}
	panic("unreachable")
}

// Await returns when the child is at point.
func (c *Child) Await(point string) {
	c.tb.Helper()
	if m := c.next(point); m.At != point {
		c.tb.Fatalf("%s is at %q, ended %v (%s), awaiting %q\n%v", c.name, m.At, m.End, m.Error, point, c.timeline)
	}
}

// Go lets the child pass the point at which it is. It may be called while the
// child is stopped: it then goes on when it is continued.
func (c *Child) Go() {
	c.tb.Helper()
	_, err := io.WriteString(c.in, "go\n")
	sure(c.tb, err, "Go")
}

// Pass is Await and Go.
func (c *Child) Pass(points ...string) {
	c.tb.Helper()
	for _, p := range points {
		c.Await(p)
		c.Go()
	}
}

// Stop stops the whole process with SIGSTOP and returns when it stands.
func (c *Child) Stop() {
	c.tb.Helper()
	sure(c.tb, c.cmd.Process.Signal(syscall.SIGSTOP), "SIGSTOP")
	for end := time.Now().Add(patience(c.tb)); ; time.Sleep(time.Millisecond) {
		state, err := processState(c.cmd.Process.Pid)
		sure(c.tb, err, "state of the child")
		if state == 'T' {
			break
		}
		if time.Now().After(end) {
			c.tb.Fatalf("%s does not stop, its state is %c", c.name, state)
		}
	}
	c.timeline.Add(c.name, "stopped (SIGSTOP)")
}

// Continue lets a stopped process go on with SIGCONT.
func (c *Child) Continue() {
	c.tb.Helper()
	c.timeline.Add(c.name, "goes on (SIGCONT)")
	sure(c.tb, c.cmd.Process.Signal(syscall.SIGCONT), "SIGCONT")
}

// Kill ends the process with SIGKILL, also if it is stopped or has ended.
func (c *Child) Kill() {
	_ = c.cmd.Process.Kill()
	<-c.gone
}

// Wait returns when the role has ended, with its error: errors.Is finds the
// errors of package fence in it.
func (c *Child) Wait() error {
	c.tb.Helper()
	m := c.next("its end")
	if !m.End {
		c.tb.Fatalf("%s is at %q, awaiting its end\n%v", c.name, m.At, c.timeline)
	}
	<-c.gone
	if m.Error == "" {
		return nil
	}
	return &childError{m}
}

// processState reads the state letter of a process.
func processState(pid int) (byte, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	// pid (name) state ...: the name may contain anything, also brackets.
	_, rest, ok := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
	if !ok || rest == "" {
		return 0, fmt.Errorf("fencetest: cannot read the state of process %d", pid)
	}
	return rest[0], nil
}
