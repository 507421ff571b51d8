package httpfence

import (
	"strings"

	"github.com/fencelint/fencelint/fence/driver"
)

// Header carries the grant, KeyHeader the idempotency key.
const (
	Header    = "Fencing-Token"
	KeyHeader = "Idempotency-Key"
)

// Format returns the header's value for g, or a [*driver.InvalidError] if g is
// not well formed. The resource is not part of it.
func Format(g driver.Grant) (string, error) {
	if err := g.WellFormed(); err != nil {
		return "", err
	}
	return `"` + g.Issuer + "/" + g.Owner + "/" + g.Token.String() + `"`, nil
}

// Parse returns the grant for resource from the header's value: a quoted text
// of issuer, owner and token, with nothing before, between or after. Errors: a
// [*driver.InvalidError].
func Parse(resource, value string) (driver.Grant, error) {
	inner, ok := strings.CutPrefix(value, `"`)
	if ok {
		inner, ok = strings.CutSuffix(inner, `"`)
	}
	parts := strings.Split(inner, "/")
	if !ok || len(parts) != 3 {
		return driver.Grant{}, &driver.InvalidError{What: "fencing token header", Reason: `is not of the form "issuer/owner/token"`}
	}
	token, err := driver.ParseToken(parts[2])
	if err != nil {
		return driver.Grant{}, err
	}
	g := driver.Grant{Resource: resource, Issuer: parts[0], Owner: parts[1], Token: token}
	return g, g.WellFormed()
}
