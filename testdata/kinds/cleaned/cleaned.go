// Package cleaned has locks that are files, in a store that cleans its cache
// whenever it is asked for a list.
package cleaned

import (
	"context"
	"slices"

	"github.com/fencelint/fencelint/testdata/kinds/cleaned/store"
)

const lockKind = 3

type saver interface {
	store.Backend
	Save(ctx context.Context, h store.Handle, data []byte) error
}

type lockFile struct {
	lockID string
	files  saver
	dir    *store.Dir
}

func (l *lockFile) exists(ctx context.Context) (bool, error) {
	names, err := l.files.List(ctx, lockKind)
	return slices.Contains(names, l.lockID), err
}

func (l *lockFile) create(ctx context.Context) error {
	return l.files.Save(ctx, store.Handle{Kind: lockKind, Name: l.lockID}, nil)
}

// Nothing is freed by the look at what there is.
func (l *lockFile) freeStaleLock(ctx context.Context) error {
	if ok, err := l.exists(ctx); err != nil || !ok {
		return err
	}
	return l.create(ctx)
}

func (l *lockFile) drop() error { return l.dir.Drop(l.lockID) }

// Nothing but names says here that it is a lock, and none that it can end.
func (l *lockFile) freeLock() error {
	return l.drop()
}
