package fencetest

import (
	"context"
	"errors"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

var leaseCases = []lockCase{
	{name: "lease/ends", check: func(r *lockRun) {
		a := r.acquire("a", r.brief())
		r.expire()
		b := r.free("after the lease ended")
		r.above(b, a)
	}},
	{name: "lease/ends by itself", check: func(r *lockRun) {
		a := r.acquire("a", short)
		r.outlast(short)
		r.above(r.free("after the lease ended"), a)
	}},
	{name: "lease/old release frees nothing", check: func(r *lockRun) {
		a := r.acquire("a", r.brief())
		r.expire()
		b := r.acquire("b", long)
		wants(r, r.Locker.Release(r.ctx, a), driver.ErrNotOwner, "Release of the old hold")
		r.held("after the old release")
		sure(r, r.Locker.Release(r.ctx, b), "Release of the new hold")
	}},
	{name: "lease/end during a release", needs: func(h *LockHarness) bool { return h.ReleaseAround != nil }, check: func(r *lockRun) {
		a := r.acquire("a", r.brief())
		var b driver.Hold
		err := r.ReleaseAround(r.ctx, a, func() {
			r.expire()
			b = r.acquire("b", long)
		})
		r.held("after a release that was overtaken")
		wants(r, err, driver.ErrNotOwner, "Release")
		sure(r, r.Locker.Release(r.ctx, b), "Release of the new hold")
	}},
	{name: "lease/old extension prolongs nothing", check: func(r *lockRun) {
		a := r.acquire("a", r.brief())
		r.expire()
		b := r.acquire("b", r.brief())
		wants(r, r.Locker.Extend(r.ctx, a, long), driver.ErrNotOwner, "Extend of the old hold")
		r.expire()
		r.above(r.free("after the second lease ended"), b)
	}},
	{name: "lease/extension by another", check: func(r *lockRun) {
		h := r.acquire("a", long)
		h.Owner = owner("b")
		wants(r, r.Locker.Extend(r.ctx, h, long), driver.ErrNotOwner, "Extend by another owner")
	}},
	{name: "lease/ended is not revived", check: func(r *lockRun) {
		a := r.acquire("a", r.brief())
		r.expire()
		wants(r, r.Locker.Extend(r.ctx, a, long), driver.ErrNotOwner, "Extend of an ended lease")
		wants(r, r.Locker.Release(r.ctx, a), driver.ErrNotOwner, "Release of an ended lease")
		r.above(r.free("after the lease ended"), a)
	}},
	{name: "lease/released is not revived", check: func(r *lockRun) {
		a := r.acquire("a", long)
		sure(r, r.Locker.Release(r.ctx, a), "Release")
		wants(r, r.Locker.Extend(r.ctx, a, long), driver.ErrNotOwner, "Extend of a released lease")
		r.free("after the release")
	}},
	{name: "lease/same owner after the end", check: func(r *lockRun) {
		a := r.acquire("a", r.brief())
		r.expire()
		r.above(r.acquire("a", long), a)
	}},
	{name: "lease/extension prolongs", check: func(r *lockRun) {
		begin := time.Now()
		h := r.acquire("a", short)
		err := r.Locker.Extend(r.ctx, h, long)
		switch {
		case errors.Is(err, driver.ErrUnsupported):
			r.Skip("leases of this service cannot be extended")
		case errors.Is(err, driver.ErrNotOwner) && time.Since(begin) >= short:
			r.Skip("the service is too slow for this case")
		default:
			sure(r, err, "Extend")
		}
		r.outlast(short)
		r.held("after the first lease would have ended")
		sure(r, r.Locker.Release(r.ctx, h), "Release")
	}},
	{name: "lease/extension can shorten", check: func(r *lockRun) {
		h := r.acquire("a", long)
		if err := r.Locker.Extend(r.ctx, h, short); errors.Is(err, driver.ErrUnsupported) {
			r.Skip("leases of this service cannot be extended")
		} else {
			sure(r, err, "Extend")
		}
		r.outlast(short)
		r.free("after the extension ended")
	}},
	{name: "lease/repeated request renews", check: func(r *lockRun) {
		begin := time.Now()
		h := r.acquire("a", short)
		if again := r.acquire("a", long); again != h {
			if time.Since(begin) >= short {
				r.Skip("the service is too slow for this case")
			}
			r.Fatalf("a repeated request gave %v, want %v", again, h)
		}
		r.outlast(short)
		r.held("after the first lease would have ended")
		sure(r, r.Locker.Release(r.ctx, h), "Release")
	}},
	{name: "lease/failed request renews nothing", check: func(r *lockRun) {
		r.acquire("a", short)
		for range 3 {
			if _, err := r.try("n", "b", long); err != nil {
				wants(r, err, driver.ErrNotAcquired, "Acquire")
			} else {
				r.Skip("the service is too slow for this case")
			}
		}
		r.outlast(short)
		r.free("after the lease ended")
	}},
}

var issuerCases = []lockCase{
	{name: "issuer/knows its tokens", needs: issuer, check: func(r *lockRun) {
		i := r.Locker.(driver.Issuer)
		r.issued(0)
		h := r.acquire("a", long)
		r.issued(h.Token)
		sure(r, r.Locker.Release(r.ctx, h), "Release")
		r.issued(h.Token) // survives the release
		_, err := i.Issued(r.ctx, "a/b")
		wants(r, err, driver.ErrInvalid, "Issued of a bad name")
		_, err = i.Issued(done(), r.name("n"))
		unsent(r, err, "Issued")
	}},
	{name: "issuer/raise", needs: issuer, check: func(r *lockRun) {
		i := r.Locker.(driver.Issuer)
		h := r.acquire("a", long)
		to := h.Token + 1000
		sure(r, i.Raise(r.ctx, h.Name, to), "Raise")
		sure(r, i.Raise(r.ctx, h.Name, to), "Raise again")
		if again := r.acquire("a", long); again != h {
			r.Fatalf("Raise changed the current hold from %v to %v", h, again)
		}
		sure(r, r.Locker.Release(r.ctx, h), "Release of the hold from before")
		next := r.acquire("b", long)
		if next.Token <= to {
			r.Fatalf("after a raise to %d the next token is %d", to, next.Token)
		}
		sure(r, i.Raise(r.ctx, h.Name, 1), "Raise to less")
		sure(r, r.Locker.Release(r.ctx, next), "Release")
		r.above(r.acquire("c", long), next)
	}},
	{name: "issuer/raise of an unknown name", needs: issuer, check: func(r *lockRun) {
		sure(r, r.Locker.(driver.Issuer).Raise(r.ctx, r.name("n"), 41), "Raise")
		if h := r.acquire("a", long); h.Token <= 41 {
			r.Fatalf("after a raise to 41 the first token is %d", h.Token)
		}
	}},
	{name: "issuer/bad raise", needs: issuer, check: func(r *lockRun) {
		i := r.Locker.(driver.Issuer)
		wants(r, i.Raise(r.ctx, "a/b", 5), driver.ErrInvalid, "Raise of a bad name")
		wants(r, i.Raise(r.ctx, r.name("n"), 0), driver.ErrInvalid, "Raise to zero")
		wants(r, i.Raise(r.ctx, r.name("n"), driver.MaxToken+1), driver.ErrInvalid, "Raise beyond the limit")
		unsent(r, i.Raise(done(), r.name("n"), 5), "Raise")
		if h := r.acquire("a", long); h.Token > 5 {
			r.Fatalf("a refused raise led to token %d", h.Token)
		}
	}},
	{name: "issuer/shows a loss", needs: func(h *LockHarness) bool { return issuer(h) && h.Lose != nil }, check: func(r *lockRun) {
		var h driver.Hold
		for _, letter := range []string{"a", "b", "c"} {
			h = r.acquire(letter, long)
			sure(r, r.Locker.Release(r.ctx, h), "Release")
		}
		sure(r, r.Lose(r.ctx, h.Name, h.Token-2), "Lose")
		r.issued(h.Token - 2)
		again := r.acquire("d", long)
		if again.Token != h.Token-1 {
			r.Fatalf("after the loss the token is %d, want %d", again.Token, h.Token-1)
		}
		sure(r, r.Locker.(driver.Issuer).Raise(r.ctx, h.Name, h.Token), "Raise")
		sure(r, r.Locker.Release(r.ctx, again), "Release")
		r.above(r.acquire("e", long), h)
	}},
	{name: "waiter/free lock", needs: waiter, check: func(r *lockRun) {
		r.waits("Wait for a lock never taken", func() {})
		h := r.acquire("a", long)
		sure(r, r.Locker.Release(r.ctx, h), "Release")
		r.waits("Wait for a released lock", func() {})
	}},
	{name: "waiter/release", needs: waiter, check: func(r *lockRun) {
		h := r.acquire("a", long)
		r.waits("Wait for a release", func() { sure(r, r.Locker.Release(r.ctx, h), "Release") })
		r.free("Wait acquires nothing")
	}},
	{name: "waiter/end of a lease", needs: waiter, check: func(r *lockRun) {
		r.acquire("a", short)
		r.waits("Wait for the end of a lease", func() {})
	}},
	{name: "waiter/done context", needs: waiter, check: func(r *lockRun) {
		r.acquire("a", long)
		ctx, cancel := context.WithTimeout(r.ctx, 20*time.Millisecond)
		defer cancel()
		err := r.Locker.(driver.Waiter).Wait(ctx, r.name("n"))
		if err != nil { // an early return without reason is allowed
			wants(r, err, context.DeadlineExceeded, "Wait until the context ends")
		}
		r.held("after waiting in vain")
	}},
}

func issuer(h *LockHarness) bool {
	_, ok := h.Locker.(driver.Issuer)
	return ok && !h.Unordered
}

func waiter(h *LockHarness) bool {
	_, ok := h.Locker.(driver.Waiter)
	return ok
}

func (r *lockRun) issued(want driver.Token) {
	r.Helper()
	got, err := r.Locker.(driver.Issuer).Issued(r.ctx, r.name("n"))
	sure(r, err, "Issued")
	if got != want {
		r.Fatalf("the issuer knows of token %d, want %d", got, want)
	}
}

// waits calls Wait, then event, and wants Wait to return soon.
func (r *lockRun) waits(what string, event func()) {
	r.Helper()
	returned := make(chan error, 1)
	go func() { returned <- r.Locker.(driver.Waiter).Wait(r.ctx, r.name("n")) }()
	event()
	sure(r, <-returned, what)
}
