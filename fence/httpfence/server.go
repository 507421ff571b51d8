package httpfence

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
)

// Require passes requests with a well-formed grant to next, with the grant in
// their context; see [fence.FromContext]. It answers 428 if the header is
// missing and 400 if it is malformed, given twice, or resource returns no name.
// resource says which resource a request is about.
//
// With early, a guard of the handler's store, requests whose grant the guard
// does not show are answered 412 before next is called: this saves work. It is
// no fence: next must hand the grant to its guarded write all the same. A guard
// that cannot be asked does not stop the request. early may be nil.
func Require(resource func(*http.Request) string, early driver.Guard, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		values := r.Header.Values(Header)
		if len(values) == 0 {
			writeProblem(w, http.StatusPreconditionRequired, "missing", "this resource needs a "+Header+" header")
			return
		}
		if len(values) > 1 {
			WriteError(w, &driver.InvalidError{What: "fencing token header", Reason: "is given twice"})
			return
		}
		g, err := Parse(resource(r), values[0])
		if err != nil {
			WriteError(w, err)
			return
		}
		if early != nil {
			if seen, err := early.Seen(r.Context(), g.Resource); err == nil && seen != g {
				WriteError(w, driver.Refused(g, seen))
				return
			}
		}
		next.ServeHTTP(w, r.WithContext(fence.NewContext(r.Context(), g)))
	})
}

// A kind is how one error of package fence looks over HTTP.
type kind struct {
	err    error
	status int
	code   string
	detail string // told to the client: no owners, no tokens
}

var kinds = []kind{
	{driver.ErrStale, http.StatusPreconditionFailed, "stale", "a newer ownership exists, or none is known"},
	{driver.ErrIssuer, http.StatusPreconditionFailed, "issuer", "the resource takes tokens of another issuer"},
	{driver.ErrDuplicate, http.StatusConflict, "duplicate", "this request was applied before"},
	{driver.ErrBusy, http.StatusServiceUnavailable, "busy", "the resource is busy: try again"},
	{driver.ErrUncertain, http.StatusGatewayTimeout, "uncertain", "it is not known whether the request was applied"},
	{driver.ErrUnavailable, http.StatusServiceUnavailable, "unavailable", "the store cannot be used, nothing was applied"},
	{driver.ErrUnsupported, http.StatusNotImplemented, "unsupported", "the store cannot do this"},
	{driver.ErrInvalid, http.StatusBadRequest, "invalid", "the request is malformed"},
}

// WriteError answers a request whose guarded write failed with err, as
// application/problem+json, if err is one of package fence's errors, and reports
// whether it did: 412 for ErrStale and ErrIssuer, 409 for ErrDuplicate, 503 for
// ErrBusy and ErrUnavailable, 504 for ErrUncertain, 501 for ErrUnsupported, 400
// for ErrInvalid. The answer tells neither owners nor tokens.
func WriteError(w http.ResponseWriter, err error) bool {
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			if k.err == driver.ErrBusy {
				w.Header().Set("Retry-After", "1")
			}
			writeProblem(w, k.status, k.code, k.detail)
			return true
		}
	}
	return false
}

type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

const problemPrefix = "urn:fence:"

func writeProblem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem{problemPrefix + code, http.StatusText(status), status, detail})
}
