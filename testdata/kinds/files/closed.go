package files

import (
	"encoding/json"
	"os"
)

// mark makes a lock file, and closes it: the lock stays.
func mark(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(lockMeta{})
}

func markPath(name string) string { return name + ".mark.lock" }

func lockMark(name string) error {
	for {
		err := mark(markPath(name))
		if err == nil || !os.IsExist(err) {
			return err
		}
		text, err := os.ReadFile(markPath(name))
		if err != nil {
			return err
		}
		var meta lockMeta
		if err := json.Unmarshal(text, &meta); err != nil {
			return err
		}
		if stale(meta) {
			os.Remove(markPath(name)) // want `keyonlyrelease \(getthendel\)`
		}
	}
}

func unlockMark(name string) error {
	return os.Remove(markPath(name)) // want `keyonlyrelease \(keyonly\)`
}
