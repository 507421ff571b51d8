package servers

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// signalTree signals a process and then its descendants.
func signalTree(pid int, sig syscall.Signal) {
	overTree(pid, func(pid int) { _ = syscall.Kill(pid, sig) }) // one that is gone needs no signal
}

// overTree calls f with a process and then with its descendants. PostgreSQL gives
// every backend a session of its own, so a process group does not reach them.
func overTree(pid int, f func(pid int)) {
	children := childrenOf(pid)
	f(pid)
	// A child forked between the two lines is in the second list.
	seen := map[int]bool{}
	for _, c := range append(children, childrenOf(pid)...) {
		if !seen[c] {
			seen[c] = true
			overTree(c, f)
		}
	}
}

// childrenOf lists the direct children of all threads of a process.
func childrenOf(pid int) []int {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil
	}
	var pids []int
	for _, t := range tasks {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// States of a process that [State] may give.
const (
	Stopped = 'T' // by SIGSTOP
	Ended   = 'Z' // and not waited for
)

// Stop stops a process with SIGSTOP and returns when all its threads stand: on a
// busy machine one that runs just then may still send an answer after the signal.
func Stop(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop process %d: %w", pid, err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		moves := threadMoves(pid)
		if moves == "" {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("process %d: thread %s does not stop", pid, moves)
		}
	}
}

// threadMoves names a thread that neither stands nor has ended, "" for none.
func threadMoves(pid int) string {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return ""
	}
	for _, t := range tasks {
		if state, err := stateIn(fmt.Sprintf("/proc/%d/task/%s/stat", pid, t.Name())); err == nil && state != Stopped && state != Ended {
			return t.Name()
		}
	}
	return ""
}

// State is the state of a process as the kernel abbreviates it.
func State(pid int) (byte, error) { return stateIn(fmt.Sprintf("/proc/%d/stat", pid)) }

func stateIn(file string) (byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	// The state follows the program's name, which may hold blanks and
	// parentheses of its own.
	_, rest, ok := bytes.Cut(b[bytes.LastIndexByte(b, ')')+1:], []byte(" "))
	if !ok || len(rest) == 0 {
		return 0, fmt.Errorf("%s: unknown format", file)
	}
	return rest[0], nil
}
