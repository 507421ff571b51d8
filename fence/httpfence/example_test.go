package httpfence_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/httpfence"
	"github.com/fencelint/fencelint/fence/memfence"
)

func ExampleRequire() {
	store := memfence.NewStore()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		grant, _ := fence.FromContext(r.Context()) // Require has put it there
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = store.Put(r.Context(), grant, "value", string(body)) // the fence
		}
		if err != nil && !httpfence.WriteError(w, err) {
			http.Error(w, "cannot write", http.StatusInternalServerError)
		}
	})
	server := httpfence.Require(func(*http.Request) string { return "job" }, nil, handler)

	for _, header := range []string{"", `"etcd-1/b7f2/7"`} {
		r := httptest.NewRequest(http.MethodPut, "/", strings.NewReader("x"))
		if header != "" {
			r.Header.Set(httpfence.Header, header)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 428
	// 412
}

// The other end of the wire. Whether the request is fenced is up to the
// receiver: here it is, and an old grant is refused.
func ExampleTransport() {
	store := memfence.NewStore()
	server := httptest.NewServer(httpfence.Require(func(*http.Request) string { return "job" }, nil,
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			grant, _ := fence.FromContext(r.Context())
			if err := store.Put(r.Context(), grant, "value", "x"); err != nil {
				httpfence.WriteError(w, err)
			}
		})))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	client := &http.Client{Transport: &httpfence.Transport{Hosts: []string{host}}}

	send := func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(httpfence.WithKey(ctx, "request-1"), http.MethodPut, server.URL, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(r)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		return httpfence.ResponseError(resp)
	}
	locks := fence.New(memfence.NewLocks(), fence.WithTTL(10*time.Second))
	var old context.Context
	for range 2 {
		err := locks.Do(context.Background(), "job", func(ctx context.Context, _ *fence.Lease) error {
			if old == nil {
				old = context.WithoutCancel(ctx)
			}
			return send(ctx) // ctx carries the grant
		}, fence.Registering(store))
		fmt.Println(err)
	}
	fmt.Println("old is stale:", errors.Is(send(old), fence.ErrStale))
	// Output:
	// <nil>
	// <nil>
	// old is stale: true
}
