package fencetest

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/fencelint/fencelint/fence/driver"
)

func once(h *GuardHarness) bool { return h.Features.Once }

// request makes the option with an id of this run.
func (r *guardRun) request(id string) driver.WriteOption {
	return driver.OncePerRequest(r.name(id))
}

var onceCases = []guardCase{
	{name: "once/second is a duplicate", needs: once, check: func(r *guardRun) {
		g := r.registered(4, "a")
		r.accept(g, "first", r.request("q"))
		r.refuse(driver.ErrDuplicate, g, "second", r.request("q"))
		var d *driver.DuplicateError
		if err := r.set(g, "second", r.request("q")); !errors.As(err, &d) || d.Request != r.name("q") || d.Resource != g.Resource {
			r.Fatalf("error %v is not a *driver.DuplicateError for the request", err)
		}
		r.accept(g, "other", r.request("q2"))
		r.accept(g, "free") // without id the policy is AllowSame
	}},
	{name: "once/duplicate for the next holder", needs: once, check: func(r *guardRun) {
		a := r.registered(1, "a")
		r.accept(a, "first", r.request("q"))
		b := r.registered(2, "b")
		r.refuse(driver.ErrDuplicate, b, "again", r.request("q")) // the token is not part of the key
		var d *driver.DuplicateError
		if err := r.set(b, "again", r.request("q")); !errors.As(err, &d) || d.Token != 0 && d.Token != a.Token {
			r.Fatalf("error %v does not name the first application", err)
		}
	}},
	{name: "once/duplicate under claims", needs: once, check: func(r *guardRun) {
		r.accept(r.claimed("a"), "first", r.request("q"))
		r.refuse(driver.ErrDuplicate, r.claimed("b"), "again", r.request("q"))
	}},
	{name: "once/stale before duplicate", needs: once, check: func(r *guardRun) {
		a := r.registered(1, "a")
		r.accept(a, "first", r.request("q"))
		r.registered(2, "b")
		r.refuse(driver.ErrStale, a, "again", r.request("q"))
	}},
	{name: "once/refused is not recorded", needs: once, check: func(r *guardRun) {
		a := r.registered(1, "a")
		b := r.registered(2, "b")
		r.refuse(driver.ErrStale, a, "stale", r.request("q"))
		r.accept(b, "first", r.request("q"))
	}},
	{name: "once/per resource", needs: once, check: func(r *guardRun) {
		r.accept(r.registered(1, "a"), "r", r.request("q"))
		other := r.grant(1, "a")
		other.Resource = r.name("r2")
		sure(r, r.Guard.Register(r.ctx, other), "Register")
		r.accept(other, "r2", r.request("q"))
	}},
	{name: "once/all at once", needs: once, check: func(r *guardRun) {
		g := r.registered(1, "a")
		var applied, duplicates atomic.Int32
		r.together(8, func(ctx context.Context, i int) error {
			err := r.retryBusy(ctx, func() error {
				return r.GuardHarness.Write(ctx, g, r.name("k"), strconv.Itoa(i), r.request("q"))
			})
			switch {
			case err == nil:
				applied.Add(1)
			case errors.Is(err, driver.ErrDuplicate):
				duplicates.Add(1)
				err = nil
			}
			return err
		})
		if applied.Load() != 1 || duplicates.Load() != 7 {
			r.Fatalf("applied %d times with %d duplicates, want 1 and 7", applied.Load(), duplicates.Load())
		}
	}},
	{name: "unheard/is uncertain", needs: unheard, check: func(r *guardRun) {
		g := r.registered(1, "a")
		err := r.WriteUnheard(r.ctx, g, r.name("k"), "x")
		wants(r, err, driver.ErrUncertain, "a write without reply")
		if errors.Is(err, driver.ErrStale) {
			r.Fatalf("error %v claims to know the outcome", err)
		}
	}},
	{name: "unheard/stale is not written", needs: unheard, check: func(r *guardRun) {
		a := r.registered(1, "a")
		r.accept(r.registered(2, "b"), "new")
		wants(r, r.WriteUnheard(r.ctx, a, r.name("k"), "stale"), driver.ErrUncertain, "a write without reply")
		if got := r.value(); got != "new" {
			r.Fatalf("the store has %q", got)
		}
	}},
	{name: "unheard/resolved by the same holder", needs: unheardOnce, check: func(r *guardRun) {
		g := r.registered(1, "a")
		wants(r, r.WriteUnheard(r.ctx, g, r.name("k"), "x", r.request("q")), driver.ErrUncertain, "a write without reply")
		r.resolve(g, "x", "q")
	}},
	{name: "unheard/resolved by the next holder", needs: unheardOnce, check: func(r *guardRun) {
		a := r.registered(1, "a")
		wants(r, r.WriteUnheard(r.ctx, a, r.name("k"), "x", r.request("q")), driver.ErrUncertain, "a write without reply")
		b := r.registered(2, "b")
		r.refuse(driver.ErrStale, a, "x", r.request("q"))
		r.resolve(b, "x", "q")
	}},
}

func unheard(h *GuardHarness) bool     { return h.WriteUnheard != nil }
func unheardOnce(h *GuardHarness) bool { return h.WriteUnheard != nil && h.Features.Once }

// resolve sends a request again whose first sending may have been applied: now
// it certainly has been, once.
func (r *guardRun) resolve(g driver.Grant, value, id string) {
	r.Helper()
	if err := r.set(g, value, r.request(id)); err != nil {
		wants(r, err, driver.ErrDuplicate, "the same request again")
	}
	if got := r.value(); got != value {
		r.Fatalf("the store has %q, want %q", got, value)
	}
	r.accept(g, "later")
	r.refuse(driver.ErrDuplicate, g, value, r.request(id))
}
