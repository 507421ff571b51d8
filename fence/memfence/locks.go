package memfence

import (
	"context"
	"sync"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// Locks is a lock service in memory. It implements [driver.Locker],
// [driver.Waiter] and [driver.Issuer]. The zero value is not usable: call
// [NewLocks]. All methods are safe for concurrent use.
type Locks struct {
	now       func() time.Time
	issuer    string
	unordered bool

	mu    sync.Mutex
	names map[string]*lock
}

type lock struct {
	owner   string // "" if free
	token   driver.Token
	expires time.Time
	issued  driver.Token  // the sequence; survives release and expiry
	freed   chan struct{} // closed when the lock becomes free
}

// A LocksOption configures [NewLocks].
type LocksOption func(*Locks)

// WithNow sets the service's clock. The default is time.Now.
func WithNow(now func() time.Time) LocksOption { return func(l *Locks) { l.now = now } }

// WithIssuer sets the issuer of the tokens. The default is "memory".
func WithIssuer(issuer string) LocksOption { return func(l *Locks) { l.issuer = issuer } }

// Unordered makes the holds carry no token, as with locks that know owners
// only.
func Unordered() LocksOption { return func(l *Locks) { l.unordered = true } }

// NewLocks returns a service without locks.
func NewLocks(opts ...LocksOption) *Locks {
	l := &Locks{now: time.Now, issuer: "memory", names: make(map[string]*lock)}
	for _, o := range opts {
		o(l)
	}
	return l
}

// at returns the lock name with an ended lease already freed. l.mu is held.
func (l *Locks) at(name string) *lock {
	k := l.names[name]
	if k == nil {
		k = &lock{freed: make(chan struct{})}
		l.names[name] = k
	}
	if k.owner != "" && !l.now().Before(k.expires) {
		k.free()
	}
	return k
}

func (k *lock) free() {
	if k.owner == "" {
		return
	}
	k.owner, k.token = "", 0
	close(k.freed)
	k.freed = make(chan struct{})
}

// Acquire implements [driver.Locker].
func (l *Locks) Acquire(ctx context.Context, r driver.Request) (driver.Hold, error) {
	if err := r.WellFormed(); err != nil {
		return driver.Hold{}, err
	}
	if err := ctx.Err(); err != nil {
		return driver.Hold{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.at(r.Name)
	switch k.owner {
	case r.Owner:
	case "":
		if k.issued >= driver.MaxToken {
			return driver.Hold{}, &driver.InvalidError{What: "token", Reason: "would pass 2^62"}
		}
		k.issued++
		k.owner, k.token = r.Owner, k.issued
	default:
		return driver.Hold{}, driver.ErrNotAcquired
	}
	k.expires = l.now().Add(r.TTL)
	h := driver.Hold{Name: r.Name, Owner: r.Owner}
	if !l.unordered {
		h.Issuer, h.Token = l.issuer, k.token
	}
	return h, nil
}

// holds reports whether h is the current hold of k. l.mu is held.
func (l *Locks) holds(k *lock, h driver.Hold) bool {
	if k.owner == "" || k.owner != h.Owner {
		return false
	}
	return l.unordered || k.token == h.Token && l.issuer == h.Issuer
}

// Extend implements [driver.Locker].
func (l *Locks) Extend(ctx context.Context, h driver.Hold, ttl time.Duration) error {
	if err := driver.WellFormedTTL(ttl); err != nil {
		return err
	}
	return l.change(ctx, h, func(k *lock) { k.expires = l.now().Add(ttl) })
}

// Release implements [driver.Locker].
func (l *Locks) Release(ctx context.Context, h driver.Hold) error {
	return l.change(ctx, h, (*lock).free)
}

func (l *Locks) change(ctx context.Context, h driver.Hold, change func(*lock)) error {
	if err := driver.WellFormedName("name", h.Name); err != nil {
		return err
	}
	if err := driver.WellFormedName("owner", h.Owner); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.at(h.Name)
	if !l.holds(k, h) {
		return driver.ErrNotOwner
	}
	change(k)
	return nil
}

// Wait implements [driver.Waiter].
func (l *Locks) Wait(ctx context.Context, name string) error {
	if err := driver.WellFormedName("name", name); err != nil {
		return err
	}
	l.mu.Lock()
	k := l.at(name)
	held, freed, left := k.owner != "", k.freed, k.expires.Sub(l.now())
	l.mu.Unlock()
	if !held {
		return ctx.Err()
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-freed:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Issued implements [driver.Issuer].
func (l *Locks) Issued(ctx context.Context, name string) (driver.Token, error) {
	if err := driver.WellFormedName("name", name); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at(name).issued, nil
}

// Raise implements [driver.Issuer].
func (l *Locks) Raise(ctx context.Context, name string, to driver.Token) error {
	if err := driver.WellFormedName("name", name); err != nil {
		return err
	}
	if err := to.WellFormed(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.at(name)
	k.issued = max(k.issued, to)
	return nil
}

// Expire ends the current lease of name, as the passing of its time would.
func (l *Locks) Expire(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at(name).free()
}

// Lose sets the sequence of name back to last and frees the lock, as a failover
// to a replica that lagged would: tokens above last are issued a second time.
func (l *Locks) Lose(name string, last driver.Token) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.at(name)
	k.free()
	k.issued = min(k.issued, max(last, 0))
}
