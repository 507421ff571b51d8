package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// processors gives the processor time that the server and this process have
// taken so far.
func (p Plan) processors() (server, own time.Duration, err error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0, err
	}
	server, err = taken(p.Server)
	return server, time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// taken asks the kernel for the threads of a process: the sum that it keeps for
// the process itself counts in ticks, which are too long here.
func taken(pid int) (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		nanoseconds, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		sum += nanoseconds
	}
	if sum == 0 {
		return 0, fmt.Errorf("process %d: no processor time", pid)
	}
	return time.Duration(sum), nil
}
