package fencetest

import (
	"errors"
	"strings"

	"github.com/fencelint/fencelint/fence/driver"
)

var inputCases = []guardCase{
	{name: "input/grants", check: func(r *guardRun) {
		good := r.registered(1, "a")
		r.accept(good, "kept")
		for what, change := range map[string]func(*driver.Grant){
			"zero":              func(g *driver.Grant) { *g = driver.Grant{} },
			"token zero":        func(g *driver.Grant) { g.Token = 0 },
			"token negative":    func(g *driver.Grant) { g.Token = -5 },
			"token too great":   func(g *driver.Grant) { g.Token = driver.MaxToken + 1 },
			"resource empty":    func(g *driver.Grant) { g.Resource = "" },
			"resource too long": func(g *driver.Grant) { g.Resource = strings.Repeat("r", driver.MaxName+1) },
			"owner empty":       func(g *driver.Grant) { g.Owner = "" },
			"owner with slash":  func(g *driver.Grant) { g.Owner = "a/b" },
			"owner with quote":  func(g *driver.Grant) { g.Owner = "a'b" },
			"issuer empty":      func(g *driver.Grant) { g.Issuer = "" },
			"issuer with colon": func(g *driver.Grant) { g.Issuer = "a:b" },
			"issuer not ascii":  func(g *driver.Grant) { g.Issuer = "é" },
		} {
			g := good
			change(&g)
			r.refuse(driver.ErrInvalid, g, "bad", nil)
			r.refuseRegister(driver.ErrInvalid, g)
			if errors.Is(r.set(g, "bad"), driver.ErrStale) {
				r.Fatalf("a grant with %s is called stale, it is malformed", what)
			}
		}
	}},
	{name: "input/names", check: func(r *guardRun) {
		for _, bad := range []string{"", "a b", "a/b", "a:b", "a%b", "a\x00b", strings.Repeat("n", driver.MaxName+1)} {
			_, err := r.Guard.Claim(r.ctx, bad, owner("a"))
			wants(r, err, driver.ErrInvalid, "Claim of a bad resource")
			_, err = r.Guard.Claim(r.ctx, r.name("r"), bad)
			wants(r, err, driver.ErrInvalid, "Claim by a bad owner")
			_, err = r.Guard.Seen(r.ctx, bad)
			wants(r, err, driver.ErrInvalid, "Seen of a bad resource")
		}
		if got := r.seen(); got != (driver.Grant{}) {
			r.Fatalf("a refused claim left %v", got)
		}
	}},
	{name: "input/longest names", check: func(r *guardRun) {
		fill := func(s string) string { return s + strings.Repeat("x", driver.MaxName-len(s)) }
		g := driver.Grant{Resource: fill(r.name("r_")), Issuer: fill("i."), Owner: fill("o-"), Token: 1}
		sure(r, r.Guard.Register(r.ctx, g), "Register")
		if got, err := r.Guard.Seen(r.ctx, g.Resource); err != nil || got != g {
			r.Fatalf("Seen: %v, %v", got, err)
		}
		r.accept(g, "x")
		other := g
		other.Owner = other.Owner[:driver.MaxName-1] + "y" // differs in the last byte
		r.refuse(driver.ErrStale, other, "bad")
	}},
	{name: "input/request ids", check: func(r *guardRun) {
		g := r.registered(1, "a")
		for _, bad := range []string{"", "a b", strings.Repeat("q", driver.MaxName+1)} {
			r.refuse(driver.ErrInvalid, g, "bad", driver.OncePerRequest(bad))
		}
	}},
	{name: "input/policies not supported", needs: func(h *GuardHarness) bool { return !h.Features.Once || !h.Features.Lazy }, check: func(r *guardRun) {
		g := r.registered(1, "a")
		if !r.Features.Once {
			r.refuse(driver.ErrUnsupported, g, "bad", r.request("q"))
		}
		if !r.Features.Lazy {
			r.refuse(driver.ErrUnsupported, g, "bad", driver.LazyWrite())
		}
	}},
	{name: "input/done context", check: func(r *guardRun) {
		g := r.registered(1, "a")
		r.accept(g, "kept")
		next := r.grant(2, "b")
		errRegister := r.Guard.Register(done(), next)
		errWrite := r.GuardHarness.Write(done(), g, r.name("k"), "bad")
		_, errSeen := r.Guard.Seen(done(), g.Resource)
		_, errClaim := r.Guard.Claim(done(), r.name("r2"), owner("a"))
		unsent(r, errRegister, "Register")
		unsent(r, errWrite, "Write")
		unsent(r, errSeen, "Seen")
		unsent(r, errClaim, "Claim")
		r.unmoved(g)
		if got := r.value(); got != "kept" {
			r.Fatalf("the store has %q", got)
		}
		if got, err := r.Guard.Seen(r.ctx, r.name("r2")); err != nil || got != (driver.Grant{}) {
			r.Fatalf("a claim on a done context left %v, %v", got, err)
		}
	}},
	{name: "input/unknown resource", check: func(r *guardRun) {
		if got := r.seen(); got != (driver.Grant{}) {
			r.Fatalf("Seen of an unknown resource is %v, want the zero grant", got)
		}
		if got := r.value(); got != "" {
			r.Fatalf("Read of an unknown key is %q", got)
		}
	}},
}
