// Case R019: a lock file older than a limit counts as stale and is removed, then created
// again with O_EXCL. Two processes may both see the same stale file; the slower one
// removes the file that the faster one has just created, and both go on.
// To flag: the os.Remove that follows an age check on the same path (check and removal are
// not one step, and nothing tells the old file from the new one). The unlock has the same
// fault: it removes by path.
package main

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

const stale = 10 * time.Second

func lockFile(path string) (func(), error) {
	for range 2 {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			f.Close()
			return func() { os.Remove(path) }, nil // want `keyonlyrelease \(keyonly\)`
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if st, err := os.Stat(path); err == nil && time.Since(st.ModTime()) > stale {
			os.Remove(path) // want `keyonlyrelease \(getthendel\)`
		}
	}
	return nil, errors.New("locked")
}

func main() {
	if unlock, err := lockFile("/shared/state.lock"); err == nil {
		defer unlock()
	}
}
