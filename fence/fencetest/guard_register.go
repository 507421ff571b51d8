package fencetest

import (
	"errors"
	"strings"

	"github.com/fencelint/fencelint/fence/driver"
)

var registerCases = []guardCase{
	{name: "register/then write", check: func(r *guardRun) {
		g := r.registered(1, "a")
		r.accept(g, "one")
		r.accept(g, "two") // one ownership may write often
		r.unmoved(g)
	}},
	{name: "register/write without registration", check: func(r *guardRun) {
		g := r.grant(1, "a")
		r.refuse(driver.ErrStale, g, "x")
		r.staleDetails(r.set(g, "x"), g, driver.Grant{})
	}},
	{name: "register/unwritten successor refuses", check: func(r *guardRun) {
		a := r.registered(1, "a")
		r.accept(a, "old")
		b := r.registered(2, "b") // has registered and not written
		r.refuse(driver.ErrStale, a, "stale")
		r.staleDetails(r.set(a, "stale"), a, b)
		r.accept(b, "new")
		r.refuse(driver.ErrStale, a, "stale")
	}},
	{name: "register/gap in tokens", check: func(r *guardRun) {
		a := r.registered(3, "a")
		b := r.registered(1000, "b")
		r.accept(b, "new")
		r.refuse(driver.ErrStale, a, "stale")
		r.refuseRegister(driver.ErrStale, r.grant(999, "c"))
	}},
	{name: "register/older is refused", check: func(r *guardRun) {
		b := r.registered(2, "b")
		a := r.grant(1, "a")
		r.refuseRegister(driver.ErrStale, a)
		r.staleDetails(r.Guard.Register(r.ctx, a), a, b)
		r.refuse(driver.ErrStale, a, "stale")
		r.accept(b, "new")
	}},
	{name: "register/same again", check: func(r *guardRun) {
		g := r.registered(5, "a")
		r.registered(5, "a")
		r.unmoved(g)
		r.accept(g, "x")
	}},
	{name: "register/again after a successor", check: func(r *guardRun) {
		a := r.registered(1, "a")
		b := r.registered(2, "b")
		r.refuseRegister(driver.ErrStale, a)
		r.accept(b, "new")
	}},
	{name: "register/same token of another owner", check: func(r *guardRun) {
		// A replica that lagged was promoted and issued 2 again.
		a := r.registered(2, "a")
		b := r.grant(2, "b")
		r.refuseRegister(driver.ErrStale, b)
		r.refuse(driver.ErrStale, b, "twin")
		r.accept(a, "first")
	}},
	{name: "register/same owner with another token", check: func(r *guardRun) {
		r.registered(2, "a")
		r.refuse(driver.ErrStale, r.grant(1, "a"), "older")
		r.refuse(driver.ErrStale, r.grant(3, "a"), "newer")
		r.refuseRegister(driver.ErrStale, r.grant(1, "a"))
	}},
	{name: "register/write never raises", check: func(r *guardRun) {
		// Restored guards and lost counters leave higher tokens about.
		r.registered(4, "b")
		r.refuse(driver.ErrStale, r.grant(5, "a"), "ahead")
	}},
	{name: "register/write never creates", check: func(r *guardRun) {
		r.refuse(driver.ErrStale, r.grant(7, "a"), "x")
		if got := r.seen(); got != (driver.Grant{}) {
			r.Fatalf("a refused write created the guard %v", got)
		}
	}},
	{name: "register/another issuer", check: func(r *guardRun) {
		a := r.registered(2, "a")
		b := driver.Grant{Resource: a.Resource, Issuer: "beta", Owner: owner("b"), Token: 9}
		r.refuseRegister(driver.ErrIssuer, b)
		r.refuse(driver.ErrIssuer, b, "foreign")
		b.Token, b.Owner = a.Token, a.Owner // nothing but the issuer differs
		r.refuseRegister(driver.ErrIssuer, b)
		r.refuse(driver.ErrIssuer, b, "foreign")
		r.accept(a, "own")
	}},
	{name: "register/as the store", check: func(r *guardRun) {
		g := r.grant(1, "a")
		g.Issuer = driver.StoreIssuer
		r.refuseRegister(driver.ErrIssuer, g)
		claim := r.claimed("b")
		g.Token = claim.Token + 1
		r.refuseRegister(driver.ErrIssuer, g)
		r.accept(claim, "claimed")
	}},
	{name: "register/resources are apart", check: func(r *guardRun) {
		a := r.registered(1, "a")
		other := r.grant(8, "b")
		other.Resource = r.name("r2")
		sure(r, r.Guard.Register(r.ctx, other), "Register on another resource")
		r.accept(a, "mine")
		other.Resource = a.Resource
		r.refuse(driver.ErrStale, other, "foreign")
	}},
	{name: "register/letter case matters", check: func(r *guardRun) {
		a := r.registered(1, "a")
		upper := a
		upper.Resource = r.name("R")
		upper.Token = 5
		sure(r, r.Guard.Register(r.ctx, upper), "Register on the same name in capitals")
		r.accept(a, "lower") // would be stale if both names were one
		a.Owner = strings.ToUpper(a.Owner)
		r.refuse(driver.ErrStale, a, "owner in capitals")
	}},
	{name: "register/number order", check: func(r *guardRun) {
		// Neither the order of texts nor the precision of floats.
		letters := "abcdefghij"
		var last driver.Grant
		for i, token := range []driver.Token{9, 10, 99, 100, 1<<31 + 1, 1<<32 + 2, 1 << 53, 1<<53 + 1, driver.MaxToken - 1, driver.MaxToken} {
			g := r.registered(token, letters[i:i+1])
			if got := r.seen(); got != g {
				r.Fatalf("registered token %d, the guard has %d", token, got.Token)
			}
			if last.Token != 0 {
				r.refuseRegister(driver.ErrStale, last)
				r.refuse(driver.ErrStale, last, "stale")
			}
			r.accept(g, "value-"+letters[i:i+1])
			last = g
		}
	}},
	{name: "register/many keys under one grant", check: func(r *guardRun) {
		g := r.registered(1, "a")
		for _, k := range []string{"x", "y", "z"} {
			sure(r, r.GuardHarness.Write(r.ctx, g, r.name(k), "v-"+k), "write")
		}
		r.registered(2, "b")
		for _, k := range []string{"x", "y", "z"} {
			wants(r, r.GuardHarness.Write(r.ctx, g, r.name(k), "stale"), driver.ErrStale, "write")
			if v, err := r.GuardHarness.Read(r.ctx, r.name(k)); err != nil || v != "v-"+k {
				r.Fatalf("key %s has %q, %v", k, v, err)
			}
		}
	}},
	{name: "register/errors do not disclose", check: func(r *guardRun) {
		a := r.registered(1234567, "a")
		b := r.registered(7654321, "b")
		err := errors.Join(r.set(a, "x"), r.Guard.Register(r.ctx, a))
		for _, secret := range []string{a.Owner, b.Owner, a.Token.String(), b.Token.String(), "1234567", "7654321"} {
			if strings.Contains(err.Error(), secret) {
				r.Fatalf("the error text contains a whole owner or token")
			}
		}
	}},
}
