// Package under runs things under a lock, whatever keeps it.
package under

import "context"

// A Locker keeps locks.
type Locker interface {
	Lock(ctx context.Context, name string) (bool, error)
	Unlock(ctx context.Context, name string) error
}

// Do runs f if the lock is free.
func Do(ctx context.Context, l Locker, name string, f func(context.Context) error) error {
	ok, err := l.Lock(ctx, name)
	if err != nil || !ok {
		return err
	}
	defer l.Unlock(ctx, name)
	return f(ctx)
}
