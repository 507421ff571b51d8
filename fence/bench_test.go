package fence_test

import (
	"context"
	"testing"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/memfence"
)

// The client's own cost: lock, registration, one guarded write and release,
// without any network.
func BenchmarkTenure(b *testing.B) {
	store := memfence.NewStore()
	c := newClient(memfence.NewLocks())
	b.ReportAllocs()
	for b.Loop() {
		err := c.Do(b.Context(), "job", func(ctx context.Context, l *fence.Lease) error {
			g, err := l.Grant(store)
			if err != nil {
				return err
			}
			return store.Put(ctx, g, "k", "v")
		}, fence.Registering(store))
		if err != nil {
			b.Fatal(err)
		}
	}
}
