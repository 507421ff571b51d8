package files

import (
	"encoding/json"
	"os"
	"time"
)

func lockAndKeep(path string) error {
	name := path + ".lock"
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(lockMeta{Created: time.Now()}); err != nil { // its own, just made
		return err
	}
	go keepFresh(name)
	return nil
}

func takeStale(path string) error {
	text, err := os.ReadFile(path + ".lock")
	if err != nil {
		return err
	}
	var meta lockMeta
	if err := json.Unmarshal(text, &meta); err != nil {
		return err
	}
	if stale(meta) {
		return os.Remove(path + ".lock") // want `keyonlyrelease \(getthendel\)`
	}
	return nil
}

func keepFresh(name string) {
	for {
		time.Sleep(time.Second)
		if refresh(name) != nil {
			return
		}
	}
}

func refresh(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	var meta lockMeta
	if err := json.NewDecoder(f).Decode(&meta); err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}

	meta.Updated = time.Now()
	if err := json.NewEncoder(f).Encode(meta); err != nil { // want `keyonlyrelease \(keyonly\): .* prolongs`
		return err
	}
	return f.Sync()
}
