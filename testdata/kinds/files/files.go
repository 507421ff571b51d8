// Package files locks by a file that goes stale.
package files

import (
	"encoding/json"
	"os"
	"time"
)

type lockMeta struct{ Created, Updated time.Time }

func stale(meta lockMeta) bool {
	last := meta.Updated
	if last.IsZero() {
		last = meta.Created
	}
	return time.Since(last) > 10*time.Second
}

func lock(path string) error {
	for {
		f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return f.Close()
		}
		text, err := os.ReadFile(path + ".lock")
		if err != nil {
			return err
		}
		var meta lockMeta
		if err := json.Unmarshal(text, &meta); err != nil {
			return err
		}
		if stale(meta) {
			os.Remove(path + ".lock") // want `keyonlyrelease \(getthendel\)`
		}
	}
}

func unlock(path string) error {
	return os.Remove(path + ".lock") // want `keyonlyrelease \(keyonly\)`
}
