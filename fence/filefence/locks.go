//go:build unix

package filefence

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// Locks is a lock service for the processes of one machine, in a directory. It
// implements [driver.Locker] and [driver.Issuer]. Its tokens are numbers in
// files: keep the directory out of backups that are restored without the rest.
// It is safe for concurrent use.
type Locks struct {
	state  *state
	issuer string
	now    func() time.Time
}

// A lease is the record of one lock. It is never deleted.
type lease struct {
	Name    string
	Owner   string // "" if free
	Token   driver.Token
	Issued  driver.Token
	Expires time.Time
}

// OpenLocks opens the directory, which must exist. The issuer is made when a
// directory is used for the first time and stays with it. Errors:
// [driver.ErrUnavailable], [driver.ErrBusy].
func OpenLocks(dir string) (*Locks, error) {
	s, err := openState(dir, busyTimeout)
	if err != nil {
		return nil, err
	}
	l := &Locks{state: s, now: time.Now}
	err = s.locked(context.Background(), func() error {
		const path = stateDir + "/issuer"
		if err := s.load(path, &l.issuer); err != nil || l.issuer != "" {
			return err
		}
		l.issuer = "file-" + rand.Text()
		return s.save(path, l.issuer)
	})
	if err != nil {
		return nil, errors.Join(err, s.root.Close())
	}
	return l, nil
}

// Close frees the directory handle. Calls after it return
// [driver.ErrUnavailable].
func (l *Locks) Close() error { return l.state.root.Close() }

// update loads the lock, calls f, and saves what f changed if it succeeds.
func (l *Locks) update(ctx context.Context, name string, f func(*lease) error) error {
	path := recordPath("lock", name)
	return l.state.locked(ctx, func() error {
		k := lease{Name: name}
		if err := l.state.load(path, &k); err != nil {
			return err
		}
		if k.Owner != "" && !l.now().Before(k.Expires) {
			k.Owner, k.Token = "", 0
		}
		before := k
		if err := f(&k); err != nil || k == before {
			return err
		}
		return l.state.save(path, k)
	})
}

// Acquire implements [driver.Locker].
func (l *Locks) Acquire(ctx context.Context, r driver.Request) (driver.Hold, error) {
	if err := r.WellFormed(); err != nil {
		return driver.Hold{}, err
	}
	h := driver.Hold{Name: r.Name, Owner: r.Owner, Issuer: l.issuer}
	err := l.update(ctx, r.Name, func(k *lease) error {
		switch k.Owner {
		case r.Owner:
		case "":
			next := k.Issued + 1
			if err := next.WellFormed(); err != nil {
				return err
			}
			k.Owner, k.Token, k.Issued = r.Owner, next, next
		default:
			return driver.ErrNotAcquired
		}
		k.Expires = l.now().Add(r.TTL).Round(0)
		h.Token = k.Token
		return nil
	})
	if err != nil {
		return driver.Hold{}, err
	}
	return h, nil
}

// Extend implements [driver.Locker].
func (l *Locks) Extend(ctx context.Context, h driver.Hold, ttl time.Duration) error {
	if err := driver.WellFormedTTL(ttl); err != nil {
		return err
	}
	return l.owned(ctx, h, func(k *lease) { k.Expires = l.now().Add(ttl).Round(0) })
}

// Release implements [driver.Locker].
func (l *Locks) Release(ctx context.Context, h driver.Hold) error {
	return l.owned(ctx, h, func(k *lease) { k.Owner, k.Token = "", 0 })
}

func (l *Locks) owned(ctx context.Context, h driver.Hold, change func(*lease)) error {
	if err := driver.WellFormedName("name", h.Name); err != nil {
		return err
	}
	if err := h.Grant().WellFormed(); err != nil {
		return err
	}
	return l.update(ctx, h.Name, func(k *lease) error {
		if k.Owner != h.Owner || k.Token != h.Token || h.Issuer != l.issuer {
			return fmt.Errorf("%w: %v", driver.ErrNotOwner, h)
		}
		change(k)
		return nil
	})
}

// Issued implements [driver.Issuer].
func (l *Locks) Issued(ctx context.Context, name string) (driver.Token, error) {
	if err := driver.WellFormedName("name", name); err != nil {
		return 0, err
	}
	var issued driver.Token
	err := l.update(ctx, name, func(k *lease) error { issued = k.Issued; return nil })
	return issued, err
}

// Raise implements [driver.Issuer].
func (l *Locks) Raise(ctx context.Context, name string, to driver.Token) error {
	if err := driver.WellFormedName("name", name); err != nil {
		return err
	}
	if err := to.WellFormed(); err != nil {
		return err
	}
	return l.update(ctx, name, func(k *lease) error { k.Issued = max(k.Issued, to); return nil })
}
