//go:build unix

package filefence

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// busyTimeout is how long requests wait for the flock.
const busyTimeout = 5 * time.Second

// A Dir is a directory whose files are guarded. It implements [driver.Guard]
// and [driver.Adopter]. It is safe for concurrent use, also by other processes
// on this machine.
type Dir struct {
	state   *state
	between func() // in tests: runs between check and change
}

// Open opens the directory, which must exist, and makes a subdirectory .fence in
// it for the guards. Errors: [driver.ErrUnavailable].
func Open(dir string) (*Dir, error) {
	s, err := openState(dir, busyTimeout)
	if err != nil {
		return nil, err
	}
	return &Dir{state: s}, nil
}

// Close frees the directory handle. Calls after it return
// [driver.ErrUnavailable].
func (d *Dir) Close() error { return d.state.root.Close() }

func guardPath(resource string) string { return recordPath("guard", resource) }

func (d *Dir) record(resource string) (driver.Grant, error) {
	var g driver.Grant
	err := d.state.load(guardPath(resource), &g)
	return g, err
}

// Register implements [driver.Guard].
func (d *Dir) Register(ctx context.Context, g driver.Grant) error {
	if err := g.WellFormed(); err != nil {
		return err
	}
	return d.state.locked(ctx, func() error { return d.register(g) })
}

// register runs under the flock.
func (d *Dir) register(g driver.Grant) error {
	if g.Issuer == driver.StoreIssuer {
		return fmt.Errorf("%w: only Claim issues for the store", driver.ErrIssuer)
	}
	record, err := d.record(g.Resource)
	switch {
	case err != nil:
		return err
	case record == g:
		return nil
	case record != driver.Grant{} && (record.Issuer != g.Issuer || record.Token >= g.Token):
		return driver.Refused(g, record)
	}
	return d.state.save(guardPath(g.Resource), g)
}

// Claim implements [driver.Guard].
func (d *Dir) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return driver.Grant{}, err
	}
	if err := driver.WellFormedName("owner", owner); err != nil {
		return driver.Grant{}, err
	}
	var g driver.Grant
	err := d.state.locked(ctx, func() error {
		record, err := d.record(resource)
		if err != nil {
			return err
		}
		g = driver.Grant{Resource: resource, Issuer: driver.StoreIssuer, Owner: owner, Token: record.Token + 1}
		switch {
		case record != driver.Grant{} && record.Issuer != driver.StoreIssuer:
			return driver.Refused(g, record)
		case record.Owner == owner:
			g = record
			return nil
		}
		if err := g.Token.WellFormed(); err != nil {
			return err
		}
		return d.state.save(guardPath(resource), g)
	})
	if err != nil {
		return driver.Grant{}, err
	}
	return g, nil
}

// Seen implements [driver.Guard].
func (d *Dir) Seen(ctx context.Context, resource string) (driver.Grant, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return driver.Grant{}, err
	}
	if err := ctx.Err(); err != nil {
		return driver.Grant{}, err
	}
	return d.record(resource)
}

// Adopt implements [driver.Adopter].
func (d *Dir) Adopt(ctx context.Context, seen, next driver.Grant) error {
	if err := driver.WellFormedAdoption(seen, next); err != nil {
		return err
	}
	return d.state.locked(ctx, func() error {
		record, err := d.record(seen.Resource)
		switch {
		case err != nil:
			return err
		case record == next:
			return nil
		case record != seen:
			return &driver.StaleError{Have: next, Seen: record}
		}
		return d.state.save(guardPath(next.Resource), next)
	})
}

// WriteFile replaces the file name, a local path below the directory whose
// parent exists, by data with the given permissions (before umask) if the guard
// of g.Resource shows g. Readers see the old file or the new one. It returns
// after the change is on disk.
//
// Errors: those of a guarded write in package driver; [driver.ErrBusy] if
// another process holds the directory for more than five seconds;
// [driver.ErrUncertain] if the change was made and may not survive a crash of
// the machine; [driver.ErrUnsupported] for OncePerRequest.
func (d *Dir) WriteFile(ctx context.Context, g driver.Grant, name string, data []byte, perm fs.FileMode, opts ...driver.WriteOption) error {
	w, err := driver.NewWrite(opts...)
	if err != nil {
		return err
	}
	if err := g.WellFormed(); err != nil {
		return err
	}
	if w.Request != "" {
		return fmt.Errorf("%w: OncePerRequest on files", driver.ErrUnsupported)
	}
	clean := filepath.ToSlash(filepath.Clean(name))
	if !filepath.IsLocal(name) || clean == "." || clean == stateDir || strings.HasPrefix(clean, stateDir+"/") {
		return &driver.InvalidError{What: "file name", Reason: "is not a path below the directory"}
	}
	return d.state.locked(ctx, func() error {
		if err := d.admit(g, w.Lazy); err != nil {
			return err
		}
		if d.between != nil {
			d.between()
		}
		return d.state.replace(clean, data, perm)
	})
}

// admit runs under the flock.
func (d *Dir) admit(g driver.Grant, lazy bool) error {
	if lazy {
		return d.register(g)
	}
	record, err := d.record(g.Resource)
	if err == nil && record != g {
		err = driver.Refused(g, record)
	}
	return err
}
