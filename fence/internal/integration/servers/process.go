package servers

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// signalTree signals a process and then its descendants. PostgreSQL gives
// every backend a session of its own, so a process group does not reach them.
func signalTree(pid int, sig syscall.Signal) {
	children := childrenOf(pid)
	_ = syscall.Kill(pid, sig) // one that is gone needs no signal
	// A child forked between the two lines is in the second list.
	seen := map[int]bool{}
	for _, c := range append(children, childrenOf(pid)...) {
		if !seen[c] {
			seen[c] = true
			signalTree(c, sig)
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

// State is the state of a process as the kernel abbreviates it.
func State(pid int) (byte, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The state follows the program's name, which may hold blanks and
	// parentheses of its own.
	_, rest, ok := bytes.Cut(b[bytes.LastIndexByte(b, ')')+1:], []byte(" "))
	if !ok || len(rest) == 0 {
		return 0, fmt.Errorf("process %d: unknown stat format", pid)
	}
	return rest[0], nil
}
