package httpfence_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/httpfence"
	"github.com/fencelint/fencelint/fence/memfence"
)

func TestHeader(t *testing.T) {
	t.Parallel()
	g := driver.Grant{Resource: "r", Issuer: "redis-1", Owner: "abc_DEF.9", Token: 42}
	value, err := httpfence.Format(g)
	if err != nil || value != `"redis-1/abc_DEF.9/0000000000000000042"` {
		t.Fatalf("%q, %v", value, err)
	}
	if back, err := httpfence.Parse("r", value); err != nil || back != g {
		t.Errorf("%v, %v", back, err)
	}
	if _, err := httpfence.Format(driver.Grant{}); !errors.Is(err, driver.ErrInvalid) {
		t.Errorf("the zero grant: %v", err)
	}
	for _, bad := range []string{
		"", `"`, `""`, "i/o/1", `"i/o/1`, `i/o/1"`, `"i/o"`, `"i/o/1/2"`, `"i/o/x"`, `"i/o/0"`, `"i/o/-1"`,
		`"i//1"`, `"/o/1"`, `"i o/o/1"`, `"i/o/1" `, `"i/o/1", "i/o/2"`, `"i/o/4611686018427387905"`,
		`"i/` + strings.Repeat("o", 129) + `/1"`,
	} {
		if g, err := httpfence.Parse("r", bad); !errors.Is(err, driver.ErrInvalid) {
			t.Errorf("%q gives %v, %v", bad, g, err)
		}
	}
	if _, err := httpfence.Parse("a/b", value); !errors.Is(err, driver.ErrInvalid) {
		t.Errorf("a bad resource: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`"i/o/1"`)
	f.Add(`"i/o/`)
	f.Fuzz(func(t *testing.T, s string) {
		g, err := httpfence.Parse("r", s)
		if err != nil {
			return
		}
		value, err := httpfence.Format(g)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := httpfence.Parse("r", value); err != nil || back != g {
			t.Fatalf("%q: %v, %v", s, back, err)
		}
	})
}

// server is a service that does it right: the handler hands the grant to the
// store's guarded write.
func server(t *testing.T, store *memfence.Store, early driver.Guard) *httptest.Server {
	handler := func(w http.ResponseWriter, r *http.Request) {
		g, ok := fence.FromContext(r.Context())
		if !ok {
			t.Error("the handler was called without a grant")
		}
		var opts []fence.WriteOption
		if key, err := httpfence.Key(r); err == nil {
			opts = append(opts, fence.OncePerRequest(key))
		}
		body, _ := io.ReadAll(r.Body)
		if err := store.Put(r.Context(), g, "k", string(body), opts...); err != nil && !httpfence.WriteError(w, err) {
			t.Errorf("no answer for %v", err)
		}
	}
	resource := func(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, "/") }
	s := httptest.NewServer(httpfence.Require(resource, early, http.HandlerFunc(handler)))
	t.Cleanup(s.Close)
	return s
}

func hosts(t *testing.T, s *httptest.Server) []string {
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return []string{u.Host}
}

func put(t *testing.T, ctx context.Context, c *http.Client, url, body string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp, httpfence.ResponseError(resp)
}

func TestStaleRequestIsRefused(t *testing.T) {
	t.Parallel()
	for name, withEarly := range map[string]bool{"late": false, "early": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			locks, store := memfence.NewLocks(), memfence.NewStore()
			var early driver.Guard
			if withEarly {
				early = store
			}
			s := server(t, store, early)
			http1 := &http.Client{Transport: &httpfence.Transport{Hosts: hosts(t, s)}}
			c := fence.New(locks, fence.WithTTL(time.Minute))

			old, err := c.Acquire(ctx, "job", fence.Guarding(store))
			if err != nil {
				t.Fatal(err)
			}
			oldGrant, _ := old.Grant(store)
			oldCtx := httpfence.WithKey(fence.NewContext(ctx, oldGrant), "q1")
			if resp, err := put(t, oldCtx, http1, s.URL+"/job", "old"); resp.StatusCode != 200 || err != nil {
				t.Fatalf("%s, %v", resp.Status, err)
			}
			// The reply was lost, say: the same key again.
			if resp, err := put(t, oldCtx, http1, s.URL+"/job", "again"); resp.StatusCode != 409 || !errors.Is(err, fence.ErrDuplicate) {
				t.Fatalf("%s, %v", resp.Status, err)
			}

			locks.Expire("job")
			if _, err := c.Acquire(ctx, "job", fence.Guarding(store)); err != nil {
				t.Fatal(err)
			}
			resp, err := put(t, fence.NewContext(ctx, oldGrant), http1, s.URL+"/job", "stale")
			if resp.StatusCode != http.StatusPreconditionFailed || !errors.Is(err, fence.ErrStale) {
				t.Errorf("%s, %v", resp.Status, err)
			}
			if v, _ := store.Get(ctx, "k"); v != "old" {
				t.Errorf("the store has %q", v)
			}
		})
	}
}

func TestRequire(t *testing.T) {
	t.Parallel()
	s := server(t, memfence.NewStore(), nil)
	for name, tt := range map[string]struct {
		path   string
		header []string
		status int
	}{
		"missing":      {"/job", nil, http.StatusPreconditionRequired},
		"malformed":    {"/job", []string{"12"}, http.StatusBadRequest},
		"twice":        {"/job", []string{`"i/o/1"`, `"i/o/2"`}, http.StatusBadRequest},
		"no resource":  {"/", []string{`"i/o/1"`}, http.StatusBadRequest},
		"unregistered": {"/job", []string{`"i/o/1"`}, http.StatusPreconditionFailed},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header[httpfence.Header] = tt.header
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != tt.status || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s, %s", name, resp.Status, resp.Header.Get("Content-Type"))
		}
		resp.Body.Close()
	}
}

// A grant is not told to other hosts, not even after a redirect.
func TestTransportKeepsGrantsFromOthers(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 1)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get(httpfence.Header) + r.Header.Get(httpfence.KeyHeader)
	}))
	defer other.Close()
	var first string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first = r.Header.Get(httpfence.Header)
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	c := &http.Client{Transport: &httpfence.Transport{Hosts: hosts(t, s)}}
	ctx := httpfence.WithKey(fence.NewContext(t.Context(), driver.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: 1}), "q")
	_, _ = put(t, ctx, c, s.URL, "x")
	if first == "" {
		t.Error("the named host did not get the grant")
	}
	if got := <-seen; got != "" {
		t.Errorf("another host got %q", got)
	}
}

func TestTransportRefusesMalformed(t *testing.T) {
	t.Parallel()
	c := &http.Client{Transport: &httpfence.Transport{Hosts: []string{"localhost"}}}
	for name, ctx := range map[string]context.Context{
		"grant": fence.NewContext(t.Context(), driver.Grant{}),
		"key":   httpfence.WithKey(t.Context(), "a b"),
	} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(r); !errors.Is(err, driver.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsCrossTheWire(t *testing.T) {
	t.Parallel()
	for err, status := range map[error]int{
		driver.ErrStale: 412, driver.ErrIssuer: 412, driver.ErrDuplicate: 409, driver.ErrBusy: 503,
		driver.ErrUncertain: 504, driver.ErrUnavailable: 503, driver.ErrUnsupported: 501, driver.ErrInvalid: 400,
	} {
		w := httptest.NewRecorder()
		if !httpfence.WriteError(w, err) {
			t.Errorf("%v is not written", err)
		}
		resp := w.Result()
		if got := httpfence.ResponseError(resp); resp.StatusCode != status || !errors.Is(got, err) {
			t.Errorf("%v: %d, read back as %v", err, resp.StatusCode, got)
		}
	}
	w := httptest.NewRecorder()
	if httpfence.WriteError(w, errors.New("boom")) || w.Body.Len() > 0 {
		t.Error("a foreign error was written")
	}
	plain := httptest.NewRecorder()
	http.Error(plain, "no", http.StatusPreconditionFailed)
	if err := httpfence.ResponseError(plain.Result()); err != nil {
		t.Errorf("a foreign 412 is read as %v", err)
	}
}
