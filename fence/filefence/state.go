//go:build unix

package filefence

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// stateDir holds the records, beside the files that are guarded.
const stateDir = ".fence"

// state is the directory of records and its flock.
type state struct {
	root *os.Root
	busy time.Duration // how long to wait for the flock
}

func openState(dir string, busy time.Duration) (*state, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
	if err := root.Mkdir(stateDir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		root.Close()
		return nil, fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
	return &state{root: root, busy: busy}, nil
}

// locked calls f while no other process or goroutine is in locked for this
// directory. The kernel gives the flock up when the process ends.
func (s *state) locked(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := s.root.OpenFile(stateDir+"/flock", os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
	defer file.Close() // releases the flock
	if err := s.flock(ctx, file); err != nil {
		return err
	}
	return f()
}

func (s *state) flock(ctx context.Context, file *os.File) error {
	limit := time.NewTimer(s.busy)
	defer limit.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return fmt.Errorf("%w: flock: %w", driver.ErrUnavailable, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", driver.ErrBusy, ctx.Err())
		case <-limit.C:
			return driver.ErrBusy
		case <-time.After(pause):
		}
	}
}

// recordPath is the path of a record. Names differ in letter case and file
// systems may not, hence the hash.
func recordPath(kind, name string) string {
	sum := sha256.Sum256([]byte(name))
	return stateDir + "/" + kind + "-" + hex.EncodeToString(sum[:16])
}

// load reads a record into v; v stays as it is if there is none.
func (s *state) load(path string, v any) error {
	text, err := s.root.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
	return nil
}

func (s *state) save(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.replace(path, text, 0o666)
}

// replace makes path hold data, durably and in one step: after a crash it has
// the old content or the new. An error before the rename had no effect; one
// after it leaves the outcome uncertain.
func (s *state) replace(path string, data []byte, perm fs.FileMode) error {
	temp := stateDir + "/temp-" + rand.Text()
	if err := s.writeSynced(temp, data, perm); err != nil {
		_ = s.root.Remove(temp)
		return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
	if err := s.root.Rename(temp, path); err != nil {
		_ = s.root.Remove(temp)
		return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
	if err := s.syncDir(path); err != nil {
		return fmt.Errorf("%w: %w", driver.ErrUncertain, err)
	}
	return nil
}

func (s *state) writeSynced(path string, data []byte, perm fs.FileMode) error {
	file, err := s.root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func (s *state) syncDir(path string) error {
	parent := "."
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			parent = path[:i]
			break
		}
	}
	dir, err := s.root.Open(parent)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
