// Package files keeps files beside a lock fresh, and a lock file that nobody
// judges by its age.
package files

import (
	"fmt"
	"os"
	"time"
)

func lock(path string) error {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintln(f, os.Getpid())
	go tell(path)
	return nil
}

// tell keeps a time for people to look at, in the lock file and beside it.
func tell(path string) {
	for range time.Tick(time.Second) {
		os.WriteFile(path+".status", []byte(time.Now().String()), 0o600)
		os.WriteFile(path+".lock", []byte(time.Now().String()), 0o600)
	}
}
