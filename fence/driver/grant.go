package driver

import (
	"fmt"
	"log/slog"
)

// StoreIssuer is the issuer of every claimed grant: the store itself.
// No [Locker] may use it.
const StoreIssuer = "store"

// A Grant is one ownership of one resource, as a [Guard] knows it. Two grants
// are the same ownership only if all fields are equal.
//
// A Grant is a capability: who knows it whole can write. Its String,
// GoString and LogValue methods therefore shorten owner and token.
type Grant struct {
	Resource string // what is guarded; normally the name of the lock
	Issuer   string // who numbered it: the lock service, or StoreIssuer
	Owner    string // random, new for every acquisition, never reused
	Token    Token  // ordered among grants of the same Resource and Issuer
}

// WellFormed reports, as an [*InvalidError], a grant that no guard accepts:
// the zero grant, a bad name or a bad token. It says nothing about ownership;
// only the store can.
func (g Grant) WellFormed() error {
	if g == (Grant{}) {
		return &InvalidError{What: "grant", Reason: "is the zero grant"}
	}
	if err := WellFormedName("resource", g.Resource); err != nil {
		return err
	}
	if err := WellFormedName("issuer", g.Issuer); err != nil {
		return err
	}
	if err := WellFormedName("owner", g.Owner); err != nil {
		return err
	}
	return g.Token.WellFormed()
}

// WellFormedAdoption reports, as an [*InvalidError], what [Adopter.Adopt] must
// refuse whatever the record is: a grant that is not WellFormed, and a next that
// cannot follow seen because of its resource, its issuer or its token.
func WellFormedAdoption(seen, next Grant) error {
	for _, g := range []Grant{seen, next} {
		if err := g.WellFormed(); err != nil {
			return err
		}
	}
	switch {
	case next.Resource != seen.Resource:
		return &InvalidError{What: "resource", Reason: "is not that of the adopted grant"}
	case next.Issuer == seen.Issuer, next.Issuer == StoreIssuer:
		return &InvalidError{What: "issuer", Reason: "is not another lock service"}
	case next.Token <= seen.Token:
		return &InvalidError{What: "token", Reason: "is not above that of the adopted grant"}
	}
	return nil
}

// String returns the grant for people: owner and token are shortened.
func (g Grant) String() string {
	if g == (Grant{}) {
		return "no grant"
	}
	return fmt.Sprintf("%s/%s/%s/%s", g.Resource, g.Issuer, shortOwner(g.Owner), g.Token.short())
}

// GoString is [Grant.String], so that %#v does not disclose the grant.
func (g Grant) GoString() string { return "driver.Grant(" + g.String() + ")" }

// LogValue returns the grant for log/slog, shortened as in [Grant.String].
func (g Grant) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("resource", g.Resource),
		slog.String("issuer", g.Issuer),
		slog.String("owner", shortOwner(g.Owner)),
		slog.String("token", g.Token.short()),
	)
}

// shortOwner keeps four characters of an owner that is long enough to stay
// secret without them.
func shortOwner(s string) string {
	if len(s) < 12 {
		return "…"
	}
	return s[:4] + "…"
}
