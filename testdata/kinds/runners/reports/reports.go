// Package reports has interfaces for all that it needs, and imports none of it.
package reports

import "context"

// A Locker keeps locks.
type Locker interface {
	Lock(ctx context.Context, name string) (bool, error)
	Unlock(ctx context.Context, name string) error
}

// A Report is written under a lock.
type Report struct {
	Lock Locker
	Rows Rows
}

// Rows keeps what reports count.
type Rows interface {
	Add(ctx context.Context, n int) error
}

// Count adds to the rows.
func (r *Report) Count(ctx context.Context, n int) error {
	if ok, err := r.Lock.Lock(ctx, "report"); err != nil || !ok {
		return err
	}
	defer r.Lock.Unlock(ctx, "report")
	return r.Rows.Add(ctx, n) // want `^unfencedwrite \(unfenced\)`
}
