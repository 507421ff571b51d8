//go:build unix

package answers

import (
	"os"
	"syscall"
)

// A pidFile is locked by the kernel. The call that frees it is the one that
// takes it, and its answer is nothing to act on.
type pidFile struct{ file *os.File }

func (p *pidFile) open() error {
	return syscall.FcntlFlock(p.file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK})
}

func (p *pidFile) Close() error {
	syscall.FcntlFlock(p.file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_UNLCK})
	syscall.Flock(int(p.file.Fd()), syscall.LOCK_UN)
	return p.file.Close()
}

func closeAll(files []*pidFile) {
	for _, f := range files {
		f.Close()
	}
}
