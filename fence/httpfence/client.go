package httpfence

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
)

// Transport sends the grant of a request's context, and the idempotency key of
// [WithKey], to the hosts it is given. It does not fence anything: only a
// receiver that compares the token in its own write does. It is safe for
// concurrent use once its fields are set.
type Transport struct {
	// Base sends the requests; nil means http.DefaultTransport.
	Base http.RoundTripper

	// Hosts, as in URL.Host, may see grants and keys. Requests to others, also
	// after a redirect, go without them. Empty means none.
	Hosts []string
}

// RoundTrip implements [http.RoundTripper]. A request that already has one of
// the headers keeps it. Errors: those of Base; a [*driver.InvalidError] for a
// malformed grant or key, and then nothing is sent.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if !slices.Contains(t.Hosts, r.URL.Host) {
		return base.RoundTrip(r)
	}
	add := make(map[string]string)
	if g, ok := fence.FromContext(r.Context()); ok {
		value, err := Format(g)
		if err != nil {
			return nil, refuse(r, err)
		}
		add[Header] = value
	}
	if key, ok := r.Context().Value(keyKey{}).(string); ok {
		if err := driver.WellFormedName("idempotency key", key); err != nil {
			return nil, refuse(r, err)
		}
		add[KeyHeader] = `"` + key + `"`
	}
	r = r.Clone(r.Context())
	for name, value := range add {
		if r.Header.Get(name) == "" {
			r.Header.Set(name, value)
		}
	}
	return base.RoundTrip(r)
}

// refuse closes the body of a request that is not sent, as a RoundTripper must.
func refuse(r *http.Request, err error) error {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return err
}

type keyKey struct{}

// WithKey returns ctx with an idempotency key for the requests made with it: a
// name, see [driver.WellFormedName]. A repeated request has the same key.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyKey{}, key)
}

// Key returns the idempotency key of a request that a [Transport] sent, to be
// used with [fence.OncePerRequest]. Errors: a [*driver.InvalidError] if it is
// missing or malformed.
func Key(r *http.Request) (string, error) {
	key := strings.TrimSuffix(strings.TrimPrefix(r.Header.Get(KeyHeader), `"`), `"`)
	return key, driver.WellFormedName("idempotency key", key)
}

// ResponseError returns the error of package fence that [WriteError] wrote into
// the response, nil if there is none. It reads the body of problem responses
// only, and does not close it.
func ResponseError(r *http.Response) error {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media != "application/problem+json" {
		return nil
	}
	var p problem
	if json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&p) != nil {
		return nil
	}
	for _, k := range kinds {
		if p.Type == problemPrefix+k.code && r.StatusCode == k.status {
			return fmt.Errorf("%s: %w", r.Status, remote(k.err))
		}
	}
	return nil
}

// remote gives the errors that always have details their type.
func remote(err error) error {
	switch err {
	case driver.ErrStale:
		return &driver.StaleError{}
	case driver.ErrDuplicate:
		return &driver.DuplicateError{}
	case driver.ErrInvalid:
		return &driver.InvalidError{What: "request", Reason: "was refused by the server as malformed"}
	}
	return err
}
