package fencetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
)

// A guardCase is one case of TestGuard.
type guardCase struct {
	name  string
	needs func(*GuardHarness) bool // nil: nothing optional
	check func(*guardRun)
}

// A guardRun is one run of a case.
type guardRun struct {
	testing.TB
	*GuardHarness
	ctx context.Context
}

func (c guardCase) run(tb testing.TB, newHarness NewGuard) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience(tb))
	defer cancel()
	r := &guardRun{TB: tb, GuardHarness: newHarness(tb), ctx: ctx}
	if r.Guard == nil || r.GuardHarness.Write == nil || r.GuardHarness.Read == nil {
		tb.Fatal("the harness lacks Guard, Write or Read")
	}
	if c.needs != nil && !c.needs(r.GuardHarness) {
		tb.Skip("the harness does not offer what this case needs")
	}
	c.check(r)
}

func guardCases() []guardCase {
	var all []guardCase
	all = append(all, registerCases...)
	all = append(all, claimCases...)
	all = append(all, lossCases...)
	all = append(all, onceCases...)
	all = append(all, lazyCases...)
	all = append(all, adoptCases...)
	all = append(all, loadCases...)
	all = append(all, inputCases...)
	return all
}

// owner makes an owner from a letter: long, as real ones are.
func owner(letter string) string { return "owner-" + letter + "-0123456789abcdef" }

// grant is a grant of issuer alpha on resource r.
func (r *guardRun) grant(token driver.Token, letter string) driver.Grant {
	return driver.Grant{Resource: r.name("r"), Issuer: "alpha", Owner: owner(letter), Token: token}
}

func (r *guardRun) name(s string) string { return r.Prefix + s }

func (r *guardRun) registered(token driver.Token, letter string) driver.Grant {
	r.Helper()
	g := r.grant(token, letter)
	sure(r, r.Guard.Register(r.ctx, g), "Register of "+letter)
	return g
}

func (r *guardRun) claimed(letter string) driver.Grant {
	r.Helper()
	g, err := r.Guard.Claim(r.ctx, r.name("r"), owner(letter))
	sure(r, err, "Claim of "+letter)
	return g
}

func (r *guardRun) value() string {
	r.Helper()
	v, err := r.GuardHarness.Read(r.ctx, r.name("k"))
	sure(r, err, "Read")
	return v
}

func (r *guardRun) seen() driver.Grant {
	r.Helper()
	g, err := r.Guard.Seen(r.ctx, r.name("r"))
	sure(r, err, "Seen")
	return g
}

func (r *guardRun) set(g driver.Grant, value string, opts ...driver.WriteOption) error {
	return r.GuardHarness.Write(r.ctx, g, r.name("k"), value, opts...)
}

// accept writes and looks into the store.
func (r *guardRun) accept(g driver.Grant, value string, opts ...driver.WriteOption) {
	r.Helper()
	sure(r, r.set(g, value, opts...), fmt.Sprintf("write %q with the current grant", value))
	if got := r.value(); got != value {
		r.Fatalf("after an accepted write of %q the store has %q", value, got)
	}
}

// refuse writes, and wants the error, the old value and the old record.
func (r *guardRun) refuse(want error, g driver.Grant, value string, opts ...driver.WriteOption) {
	r.Helper()
	before, record := r.value(), r.seen()
	err := r.set(g, value, opts...)
	if got := r.value(); got != before {
		r.Fatalf("a write that had to be refused changed the store from %q to %q (error %v)", before, got, err)
	}
	wants(r, err, want, fmt.Sprintf("write %q", value))
	r.unmoved(record)
}

// refuseRegister wants the error and the old record.
func (r *guardRun) refuseRegister(want error, g driver.Grant) {
	r.Helper()
	record := r.seen()
	err := r.Guard.Register(r.ctx, g)
	r.unmoved(record)
	wants(r, err, want, "Register")
}

func (r *guardRun) unmoved(record driver.Grant) {
	r.Helper()
	if got := r.seen(); got != record {
		r.Fatalf("the guard moved from %v to %v", record, got)
	}
}

// staleDetails checks what a StaleError says.
func (r *guardRun) staleDetails(err error, have, seen driver.Grant) {
	r.Helper()
	var s *driver.StaleError
	if !errors.As(err, &s) {
		r.Fatalf("error %v is no *driver.StaleError", err)
	}
	if s.Have != have || s.Seen != seen {
		r.Fatalf("StaleError has %v and saw %v; want %v and %v", s.Have, s.Seen, have, seen)
	}
}
