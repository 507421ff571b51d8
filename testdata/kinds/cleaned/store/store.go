// Package store keeps files, and copies of some of them in a cache.
package store

import (
	"context"
	"os"
	"path/filepath"
)

type Handle struct {
	Kind int
	Name string
}

type Backend interface {
	List(ctx context.Context, kind int) ([]string, error)
}

type Cached struct {
	Backend
	dir string
}

func (c *Cached) List(ctx context.Context, kind int) ([]string, error) {
	names, err := c.Backend.List(ctx, kind)
	if err != nil {
		return nil, err
	}
	return names, c.clear(kind, names)
}

func (c *Cached) path(h Handle) string { return filepath.Join(c.dir, h.Name) }

// clear removes what the store no longer has.
func (c *Cached) clear(kind int, names []string) error {
	valid := map[string]bool{}
	for _, n := range names {
		valid[n] = true
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if valid[e.Name()] {
			continue
		}
		if err := os.Remove(c.path(Handle{Kind: kind, Name: e.Name()})); err != nil {
			return err
		}
	}
	return nil
}

type Dir struct{ path string }

func (d *Dir) Drop(name string) error { return os.Remove(filepath.Join(d.path, name)) }
