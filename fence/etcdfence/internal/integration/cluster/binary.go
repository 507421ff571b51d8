package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// A Binary is an etcd server program.
type Binary struct {
	Path  string
	Flags []string // that only this version has
}

// Built is the server of the version that go.mod names, built on first use
// into a temporary directory that Remove deletes. FENCE_ETCD names one that was
// built before, to spare the time.
var Built = sync.OnceValues(build)

var builtDir string

func build() (Binary, error) {
	if path := os.Getenv("FENCE_ETCD"); path != "" {
		return Binary{Path: path}, nil
	}
	dir, err := os.MkdirTemp("", "fence-etcd-program-")
	if err != nil {
		return Binary{}, err
	}
	builtDir = dir
	path := filepath.Join(dir, "etcd")
	cmd := exec.Command("go", "build", "-o", path, "github.com/fencelint/fencelint/fence/etcdfence/internal/integration/etcd")
	if out, err := cmd.CombinedOutput(); err != nil {
		return Binary{}, fmt.Errorf("build etcd: %w: %s", err, out)
	}
	return Binary{Path: path}, nil
}

// Remove deletes what Built has made.
func Remove() {
	if builtDir != "" {
		_ = os.RemoveAll(builtDir) // a temporary file that stays is no failure
	}
}

// Quick leaves out fsync: tests kill processes, not the kernel, and what a
// process has written survives it. Not for measurements.
func (b Binary) Quick() Binary {
	b.Flags = append(b.Flags[:len(b.Flags):len(b.Flags)], "--unsafe-no-fsync")
	return b
}

// Installed is the server of the distribution, version 3.4 on Debian 12.
// exec.ErrNotFound if there is none.
func Installed() (Binary, error) {
	path, err := exec.LookPath("etcd")
	return Binary{Path: path}, err
}

// Version asks the program.
func (b Binary) Version() (string, error) {
	out, err := exec.Command(b.Path, "--version").Output()
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(out), "\n")
	_, version, _ := strings.Cut(line, ": ")
	return version, nil
}
