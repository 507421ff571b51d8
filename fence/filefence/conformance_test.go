//go:build unix

package filefence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
)

func openDir(tb testing.TB, path string) *Dir {
	tb.Helper()
	d, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { d.Close() })
	return d
}

func openLocks(tb testing.TB, path string) *Locks {
	tb.Helper()
	l, err := OpenLocks(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	return l
}

// read returns the content of a file, "" if there is none.
func read(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

func guardHarness(tb testing.TB) *fencetest.GuardHarness {
	path, err := os.MkdirTemp("", "filefence")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(path) })
	d := openDir(tb, path)
	write := func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
		return d.WriteFile(ctx, g, key, []byte(value), 0o600, opts...)
	}
	return &fencetest.GuardHarness{
		Guard:    d,
		Write:    write,
		Read:     func(_ context.Context, key string) (string, error) { return read(filepath.Join(path, key)) },
		Features: fencetest.Features{Lazy: true, Adopter: true},
		Record: func(ctx context.Context, g driver.Grant) error {
			return d.state.locked(ctx, func() error {
				if g == (driver.Grant{Resource: g.Resource}) {
					return d.state.root.Remove(guardPath(g.Resource))
				}
				return d.state.save(guardPath(g.Resource), g)
			})
		},
		WriteUnheard: func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
			_ = write(ctx, g, key, value, opts...)
			return driver.ErrUncertain
		},
		WriteAround: func(ctx context.Context, g driver.Grant, key, value string, between func()) error {
			other, err := Open(path) // as another process would
			if err != nil {
				return err
			}
			defer other.Close()
			other.between = between
			return other.WriteFile(ctx, g, key, []byte(value), 0o600)
		},
	}
}

func TestDir(t *testing.T) {
	t.Parallel()
	fencetest.TestGuard(t, guardHarness)
}

func TestLocks(t *testing.T) {
	t.Parallel()
	fencetest.TestLocker(t, func(tb testing.TB) *fencetest.LockHarness {
		l := openLocks(tb, tb.TempDir())
		change := func(ctx context.Context, name string, f func(*lease)) error {
			return l.update(ctx, name, func(k *lease) error { f(k); return nil })
		}
		return &fencetest.LockHarness{
			Locker: l,
			Expire: func(ctx context.Context, name string) error {
				return change(ctx, name, func(k *lease) { k.Expires = time.Time{} })
			},
			Lose: func(ctx context.Context, name string, last driver.Token) error {
				return change(ctx, name, func(k *lease) { k.Owner, k.Token, k.Issued = "", 0, last })
			},
			ReleaseAround: func(ctx context.Context, h driver.Hold, between func()) error {
				between()
				return l.Release(ctx, h)
			},
		}
	})
}

// The read-modify-write of a broken copy is noticed: the flock is what makes
// check and change one step.
func TestWithoutFlock(t *testing.T) {
	t.Parallel()
	failures := fencetest.GuardFailures(t, func(tb testing.TB) *fencetest.GuardHarness {
		h := guardHarness(tb)
		h.WriteAround = func(ctx context.Context, g driver.Grant, key, value string, between func()) error {
			d := h.Guard.(*Dir)
			if err := d.admit(g, false); err != nil {
				return err
			}
			between()
			return d.state.replace(key, []byte(value), 0o600)
		}
		return h
	}, "around/register")
	if len(failures) == 0 {
		t.Fatal("a check outside the flock passed")
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	d := openDir(t, path)
	g := driver.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: 1}
	if err := d.Register(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", ".", "..", "../x", "/x", "a/../..", ".fence", ".fence/x", "a/../.fence/guard", "./.fence/x"} {
		if err := d.WriteFile(t.Context(), g, bad, nil, 0o600); !errors.Is(err, driver.ErrInvalid) {
			t.Errorf("file name %q: error %v", bad, err)
		}
	}
	if err := d.WriteFile(t.Context(), g, "no/such", nil, 0o600); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("missing parent: error %v", err)
	}
	if err := os.Mkdir(filepath.Join(path, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile(t.Context(), g, "sub/file", []byte("x"), 0o640); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(path, "sub", "file"))
	if err != nil || info.Mode().Perm()&^0o640 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Join(path, stateDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "temp-") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestUnusableDirectory(t *testing.T) {
	t.Parallel()
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("Open of a missing directory: %v", err)
	}
	if _, err := OpenLocks(filepath.Join(t.TempDir(), "none")); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("OpenLocks of a missing directory: %v", err)
	}
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	if _, err := d.Seen(t.Context(), "r"); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("Seen after Close: %v", err)
	}

	path := t.TempDir()
	d = openDir(t, path)
	if err := os.WriteFile(filepath.Join(path, filepath.FromSlash(guardPath("r"))), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := driver.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: 1}
	if err := d.WriteFile(t.Context(), g, "f", nil, 0o600); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("damaged record: %v", err)
	}
}

// A directory keeps its issuer; a new one gets another.
func TestIssuerStays(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	a, b, c := openLocks(t, path), openLocks(t, path), openLocks(t, t.TempDir())
	if a.issuer != b.issuer || a.issuer == c.issuer {
		t.Errorf("issuers %s, %s and %s", a.issuer, b.issuer, c.issuer)
	}
}
