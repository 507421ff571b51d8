package fencetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// A lockCase is one case of TestLocker.
type lockCase struct {
	name  string
	needs func(*LockHarness) bool // nil: nothing optional
	check func(*lockRun)
}

// A lockRun is one run of a case.
type lockRun struct {
	testing.TB
	*LockHarness
	ctx context.Context
}

func (c lockCase) run(tb testing.TB, newHarness NewLock) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience(tb))
	defer cancel()
	r := &lockRun{TB: tb, LockHarness: newHarness(tb), ctx: ctx}
	if r.Locker == nil {
		tb.Fatal("the harness lacks Locker")
	}
	if c.needs != nil && !c.needs(r.LockHarness) {
		tb.Skip("the harness does not offer what this case needs")
	}
	c.check(r)
}

func lockCases() []lockCase {
	var all []lockCase
	all = append(all, holdCases...)
	all = append(all, leaseCases...)
	all = append(all, issuerCases...)
	return all
}

// long is a lease that no case outlives, short one that ends soon.
const (
	long  = 10 * time.Minute
	short = 300 * time.Millisecond
)

func (r *lockRun) name(s string) string { return r.Prefix + s }

func (r *lockRun) try(name, letter string, ttl time.Duration) (driver.Hold, error) {
	return r.Locker.Acquire(r.ctx, driver.Request{Name: r.name(name), Owner: owner(letter), TTL: ttl})
}

// acquire takes the lock "n".
func (r *lockRun) acquire(letter string, ttl time.Duration) driver.Hold {
	r.Helper()
	return r.acquireNamed("n", letter, ttl)
}

func (r *lockRun) acquireNamed(name, letter string, ttl time.Duration) driver.Hold {
	r.Helper()
	h, err := r.try(name, letter, ttl)
	sure(r, err, "Acquire by "+letter)
	if h.Name != r.name(name) || h.Owner != owner(letter) {
		r.Fatalf("the hold %v is not the one that %s requested", h, letter)
	}
	if r.Unordered {
		if h.Token != 0 || h.Issuer != "" {
			r.Fatalf("an unordered lock gave %v", h)
		}
		return h
	}
	sure(r, h.Grant().WellFormed(), "the hold as a grant")
	if h.Issuer == driver.StoreIssuer {
		r.Fatal("the lock poses as the issuer of claims")
	}
	return h
}

// held fails the case unless the lock "n" is held by somebody.
func (r *lockRun) held(what string) {
	r.Helper()
	if _, err := r.try("n", "probe", short); !errors.Is(err, driver.ErrNotAcquired) {
		r.Fatalf("%s: Acquire by another gave %v, want ErrNotAcquired", what, err)
	}
}

func (r *lockRun) free(what string) driver.Hold {
	r.Helper()
	h, err := r.try("n", "probe", long)
	sure(r, err, what+": Acquire by another")
	return h
}

// above wants the tokens of one name to grow.
func (r *lockRun) above(later, earlier driver.Hold) {
	r.Helper()
	if r.Unordered {
		return
	}
	if later.Issuer != earlier.Issuer {
		r.Fatalf("issuer changed from %s to %s", earlier.Issuer, later.Issuer)
	}
	if later.Token <= earlier.Token {
		r.Fatalf("the later hold has token %d, not above %d", later.Token, earlier.Token)
	}
}

// expire ends the lease of the lock "n", which was acquired for ttl.
func (r *lockRun) expire() {
	r.Helper()
	if r.Expire != nil {
		sure(r, r.Expire(r.ctx, r.name("n")), "Expire")
		return
	}
	r.outlast(short)
}

// brief is a lease for cases that end it with expire.
func (r *lockRun) brief() time.Duration {
	if r.Expire != nil {
		return long
	}
	return short
}

// outlast waits until d has passed by the service's own clock: until another
// lock with that lease has become free.
func (r *lockRun) outlast(d time.Duration) {
	r.Helper()
	r.acquireNamed("marker", "m", d)
	for {
		_, err := r.try("marker", "m2", long)
		if err == nil {
			h := driver.Hold{}
			h, err = r.try("marker", "m2", long)
			sure(r, err, "Acquire of the marker")
			sure(r, r.Locker.Release(r.ctx, h), "Release of the marker")
			return
		}
		wants(r, err, driver.ErrNotAcquired, "Acquire of the marker")
		time.Sleep(5 * time.Millisecond)
	}
}
