package httpfence_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

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
