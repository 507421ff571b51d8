package fencetest

import (
	"context"
	"errors"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

func restorable(h *GuardHarness) bool { return h.Record != nil }
func around(h *GuardHarness) bool     { return h.WriteAround != nil }
func lazy(h *GuardHarness) bool       { return h.Features.Lazy }
func adopter(h *GuardHarness) bool    { return h.Features.Adopter }

var lossCases = []guardCase{
	{name: "loss/missing guard refuses", needs: restorable, check: func(r *guardRun) {
		g := r.registered(5, "a")
		r.accept(g, "before")
		sure(r, r.Record(r.ctx, driver.Grant{Resource: g.Resource}), "Record")
		r.refuse(driver.ErrStale, g, "after")
		if got := r.seen(); got != (driver.Grant{}) {
			r.Fatalf("the write created the guard %v again", got)
		}
		r.staleDetails(r.set(g, "after"), g, driver.Grant{})
	}},
	{name: "loss/missing claimed guard refuses", needs: restorable, check: func(r *guardRun) {
		g := r.claimed("a")
		sure(r, r.Record(r.ctx, driver.Grant{Resource: g.Resource}), "Record")
		r.refuse(driver.ErrStale, g, "after")
	}},
	{name: "loss/restored guard, stale writer above", needs: restorable, check: func(r *guardRun) {
		// 3 is restored, 4 registers and writes; 5, from before, must not pass.
		a := r.registered(5, "a")
		sure(r, r.Record(r.ctx, r.grant(3, "c")), "Record")
		r.refuse(driver.ErrStale, a, "stale")
		b := r.registered(4, "b")
		r.accept(b, "new")
		r.refuse(driver.ErrStale, a, "stale")
		r.accept(b, "newer")
	}},
	{name: "loss/restored guard, same token", needs: restorable, check: func(r *guardRun) {
		a := r.registered(4, "a")
		sure(r, r.Record(r.ctx, r.grant(3, "c")), "Record")
		b := r.registered(4, "b") // its issuer was restored too
		r.refuse(driver.ErrStale, a, "stale")
		r.refuseRegister(driver.ErrStale, a)
		r.accept(b, "new")
	}},
	{name: "loss/restored claimed guard", needs: restorable, check: func(r *guardRun) {
		r.claimed("a")
		b := r.claimed("b")
		older := driver.Grant{Resource: b.Resource, Issuer: driver.StoreIssuer, Owner: owner("x"), Token: 1}
		sure(r, r.Record(r.ctx, older), "Record")
		r.refuse(driver.ErrStale, b, "stale")
		c := r.claimed("c") // the same token as b's
		r.refuse(driver.ErrStale, b, "stale")
		r.accept(c, "new")
	}},
	{name: "loss/restored issuer", needs: restorable, check: func(r *guardRun) {
		a := r.registered(2, "a")
		foreign := a
		foreign.Issuer = "beta"
		sure(r, r.Record(r.ctx, foreign), "Record")
		r.refuse(driver.ErrIssuer, a, "x")
		r.refuseRegister(driver.ErrIssuer, r.grant(9, "b"))
	}},
	{name: "around/register during a write", needs: around, check: func(r *guardRun) {
		a := r.registered(1, "a")
		r.accept(a, "old")
		b := r.grant(2, "b")
		r.takeover(a, b, func(ctx context.Context) error { return r.Guard.Register(ctx, b) })
	}},
	{name: "around/claim during a write", needs: around, check: func(r *guardRun) {
		a := r.claimed("a")
		r.accept(a, "old")
		b := driver.Grant{Resource: a.Resource, Issuer: a.Issuer, Owner: owner("b"), Token: a.Token + 1}
		r.takeover(a, b, func(ctx context.Context) error {
			_, err := r.Guard.Claim(ctx, b.Resource, b.Owner)
			return err
		})
	}},
	{name: "around/once during a write", needs: func(h *GuardHarness) bool { return around(h) && once(h) }, check: func(r *guardRun) {
		// A plain write that is interrupted leaves no request behind.
		a := r.registered(1, "a")
		sure(r, r.WriteAround(r.ctx, a, r.name("k"), "x", func() {}), "write")
		r.accept(a, "y", r.request("q"))
	}},
}

// takeover lets b take the guard over while a write of a is between its check
// and its end. Either the takeover waits and the write is whole before it, or
// the write is refused: never is the takeover done and the write accepted
// after it.
func (r *guardRun) takeover(a, b driver.Grant, take func(context.Context) error) {
	r.Helper()
	took := make(chan error, 1)
	inside := false // the takeover was over before the write was
	err := r.WriteAround(r.ctx, a, r.name("k"), "late", func() {
		go func() { took <- r.retryBusy(r.ctx, func() error { return take(r.ctx) }) }()
		select {
		case err := <-took:
			took <- err
			inside = err == nil
		case <-time.After(notice(r.TB)): // it waits for the write
		}
	})
	sure(r, <-took, "takeover")
	switch {
	case inside && err == nil:
		r.Fatalf("the takeover was complete and the write of its predecessor was accepted after it")
	case err == nil:
		if got := r.value(); got != "late" {
			r.Fatalf("an accepted write is not in the store, which has %q", got)
		}
	default:
		if !errors.Is(err, driver.ErrBusy) {
			wants(r, err, driver.ErrStale, "write during a takeover")
		}
		if got := r.value(); got != "old" {
			r.Fatalf("a refused write left %q in the store", got)
		}
	}
	r.refuse(driver.ErrStale, a, "stale")
	r.accept(b, "new")
}

var lazyCases = []guardCase{
	{name: "lazy/write raises", needs: lazy, check: func(r *guardRun) {
		a, b := r.grant(1, "a"), r.grant(2, "b")
		r.accept(a, "first", driver.LazyWrite())
		r.unmoved(a)
		r.accept(b, "second", driver.LazyWrite())
		r.unmoved(b)
		r.refuse(driver.ErrStale, a, "stale", driver.LazyWrite())
		r.refuse(driver.ErrStale, a, "stale")
		r.accept(b, "strict")
	}},
	{name: "lazy/same token of another owner", needs: lazy, check: func(r *guardRun) {
		a := r.grant(2, "a")
		r.accept(a, "first", driver.LazyWrite())
		r.refuse(driver.ErrStale, r.grant(2, "b"), "twin", driver.LazyWrite())
		r.accept(a, "again", driver.LazyWrite())
	}},
	{name: "lazy/another issuer", needs: lazy, check: func(r *guardRun) {
		r.accept(r.grant(2, "a"), "first", driver.LazyWrite())
		b := r.grant(9, "b")
		b.Issuer = "beta"
		r.refuse(driver.ErrIssuer, b, "foreign", driver.LazyWrite())
		b.Issuer = driver.StoreIssuer
		r.refuse(driver.ErrIssuer, b, "claimed", driver.LazyWrite())
	}},
	{name: "lazy/number order", needs: lazy, check: func(r *guardRun) {
		r.accept(r.grant(9, "a"), "nine", driver.LazyWrite())
		r.accept(r.grant(10, "b"), "ten", driver.LazyWrite())
		r.refuse(driver.ErrStale, r.grant(9, "a"), "nine", driver.LazyWrite())
	}},
}

var adoptCases = []guardCase{
	{name: "adopt/compare and set", needs: adopter, check: func(r *guardRun) {
		guard, ok := r.Guard.(driver.Adopter)
		if !ok {
			r.Fatal("the guard is no driver.Adopter")
		}
		a := r.registered(7, "a")
		next := driver.Grant{Resource: a.Resource, Issuer: "beta", Owner: owner("b"), Token: 8}

		for what, seen := range map[string]driver.Grant{
			"token":  r.grant(6, "a"),
			"owner":  r.grant(7, "x"),
			"issuer": {Resource: a.Resource, Issuer: "gamma", Owner: a.Owner, Token: 7},
		} {
			err := guard.Adopt(r.ctx, seen, next)
			r.unmoved(a)
			wants(r, err, driver.ErrStale, "Adopt from a record that differs in "+what)
			r.staleDetails(err, next, a)
		}
		sure(r, guard.Adopt(r.ctx, a, next), "Adopt")
		r.unmoved(next)
		sure(r, guard.Adopt(r.ctx, a, next), "Adopt again")
		r.refuse(driver.ErrIssuer, a, "stale")
		r.accept(next, "new")
		r.refuseRegister(driver.ErrIssuer, r.grant(9, "c"))
	}},
	{name: "adopt/bad arguments", needs: adopter, check: func(r *guardRun) {
		guard := r.Guard.(driver.Adopter)
		a := r.registered(7, "a")
		good := driver.Grant{Resource: a.Resource, Issuer: "beta", Owner: owner("b"), Token: 8}
		for what, change := range map[string]func(*driver.Grant){
			"zero":              func(g *driver.Grant) { *g = driver.Grant{} },
			"not greater":       func(g *driver.Grant) { g.Token = 7 },
			"the same issuer":   func(g *driver.Grant) { g.Issuer = a.Issuer },
			"the store":         func(g *driver.Grant) { g.Issuer = driver.StoreIssuer },
			"another resource":  func(g *driver.Grant) { g.Resource = r.name("r2") },
			"beyond the limits": func(g *driver.Grant) { g.Token = driver.MaxToken + 1 },
		} {
			next := good
			change(&next)
			err := guard.Adopt(r.ctx, a, next)
			r.unmoved(a)
			wants(r, err, driver.ErrInvalid, "Adopt of a grant that is "+what)
		}
	}},
	{name: "adopt/missing guard", needs: adopter, check: func(r *guardRun) {
		next := driver.Grant{Resource: r.name("r"), Issuer: "beta", Owner: owner("b"), Token: 8}
		err := r.Guard.(driver.Adopter).Adopt(r.ctx, r.grant(7, "a"), next)
		wants(r, err, driver.ErrStale, "Adopt of a missing guard")
		if got := r.seen(); got != (driver.Grant{}) {
			r.Fatalf("Adopt created %v", got)
		}
	}},
}
