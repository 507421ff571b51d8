package fence

import "context"

type grantKey struct{}

// NewContext returns ctx with g in it, for code that reaches the store through
// layers that pass contexts only. A grant in a context protects nothing until
// it is handed to the store's guarded write.
func NewContext(ctx context.Context, g Grant) context.Context {
	return context.WithValue(ctx, grantKey{}, g)
}

// FromContext returns the grant that [NewContext] or [Client.Do] put into ctx.
func FromContext(ctx context.Context) (Grant, bool) {
	g, ok := ctx.Value(grantKey{}).(Grant)
	return g, ok
}
