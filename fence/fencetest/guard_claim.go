package fencetest

import (
	"context"
	"sync"

	"github.com/fencelint/fencelint/fence/driver"
)

var claimCases = []guardCase{
	{name: "claim/then write", check: func(r *guardRun) {
		g := r.claimed("a")
		want := driver.Grant{Resource: r.name("r"), Issuer: driver.StoreIssuer, Owner: owner("a"), Token: 1}
		if g != want {
			r.Fatalf("claimed %v, want %v", g, want)
		}
		r.unmoved(g)
		r.accept(g, "one")
		r.accept(g, "two")
	}},
	{name: "claim/same again", check: func(r *guardRun) {
		g := r.claimed("a")
		if again := r.claimed("a"); again != g {
			r.Fatalf("a repeated claim gave %v, want %v", again, g)
		}
		r.accept(g, "x")
	}},
	{name: "claim/successor refuses", check: func(r *guardRun) {
		a := r.claimed("a")
		r.accept(a, "old")
		b := r.claimed("b")
		if b.Token != a.Token+1 {
			r.Fatalf("the second claim has token %d, want %d", b.Token, a.Token+1)
		}
		r.refuse(driver.ErrStale, a, "stale")
		r.accept(b, "new")
		r.refuse(driver.ErrStale, a, "stale")
	}},
	{name: "claim/late claim pre-empts", check: func(r *guardRun) {
		// Documented: the order is that of the claims.
		a := r.claimed("a")
		b := r.claimed("b")
		again := r.claimed("a")
		if again.Token <= b.Token {
			r.Fatalf("a new claim has token %d, not above %d", again.Token, b.Token)
		}
		r.refuse(driver.ErrStale, a, "stale")
		r.refuse(driver.ErrStale, b, "stale")
		r.accept(again, "new")
	}},
	{name: "claim/forged grants", check: func(r *guardRun) {
		g := r.claimed("a")
		forged := g
		forged.Owner = owner("b")
		r.refuse(driver.ErrStale, forged, "same token")
		forged = g
		forged.Token++
		r.refuse(driver.ErrStale, forged, "higher token")
		forged = g
		forged.Issuer = "alpha"
		r.refuse(driver.ErrIssuer, forged, "other issuer")
		r.accept(g, "own")
	}},
	{name: "claim/not beside register", check: func(r *guardRun) {
		g := r.registered(3, "a")
		_, err := r.Guard.Claim(r.ctx, g.Resource, owner("b"))
		r.unmoved(g)
		wants(r, err, driver.ErrIssuer, "Claim of a registered guard")
		_, err = r.Guard.Claim(r.ctx, g.Resource, g.Owner) // not even by its owner
		r.unmoved(g)
		wants(r, err, driver.ErrIssuer, "Claim of a registered guard")
		r.accept(g, "x")
	}},
	{name: "claim/register not beside it", check: func(r *guardRun) {
		g := r.claimed("a")
		r.refuseRegister(driver.ErrIssuer, r.grant(g.Token+5, "b"))
		r.accept(g, "x")
	}},
	{name: "claim/resources are apart", check: func(r *guardRun) {
		a := r.claimed("a")
		b, err := r.Guard.Claim(r.ctx, r.name("r2"), owner("b"))
		sure(r, err, "Claim")
		if b.Token != 1 {
			r.Fatalf("the first claim of another resource has token %d", b.Token)
		}
		r.accept(a, "mine")
	}},
	{name: "claim/all at once", check: func(r *guardRun) {
		// Tokens 1 to n, each once; afterwards exactly one of the grants can write.
		const n = 16
		grants := make([]driver.Grant, n)
		r.together(n, func(ctx context.Context, i int) error {
			var err error
			grants[i], err = r.retryClaim(ctx, owner(string(rune('a'+i))))
			return err
		})
		seen := make(map[driver.Token]bool)
		for _, g := range grants {
			if g.Token < 1 || g.Token > n || seen[g.Token] {
				r.Fatalf("token %d is out of range or was issued twice", g.Token)
			}
			seen[g.Token] = true
		}
		for _, g := range grants {
			if g.Token == n {
				r.accept(g, "last")
			}
		}
		for _, g := range grants {
			if g.Token != n {
				r.refuse(driver.ErrStale, g, "stale")
			}
		}
	}},
}

// together runs f n times at once and fails the case on the first error.
func (r *guardRun) together(n int, f func(ctx context.Context, i int) error) {
	r.Helper()
	var wg sync.WaitGroup
	errs := make(chan error, n)
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			errs <- f(r.ctx, i)
		})
	}
	close(start)
	wg.Wait()
	close(errs)
	for err := range errs {
		sure(r, err, "one of several at once")
	}
}
