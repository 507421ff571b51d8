package integration

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/memfence"
)

// kindOf is the named error that err wraps, nil if it is none of them.
func kindOf(err error) error {
	for _, e := range []error{
		driver.ErrStale, driver.ErrIssuer, driver.ErrDuplicate, driver.ErrInvalid, driver.ErrUnsupported,
		driver.ErrBusy, driver.ErrUncertain, driver.ErrUnavailable,
	} {
		if errors.Is(err, e) {
			return e
		}
	}
	return err
}

// TestSameAsMemory gives random calls to a server and to the guard in memory:
// errors, records and values must be the same after every call. A difference is
// shrunk to a short sequence. Tokens are such that doubles cannot tell them
// apart.
func TestSameAsMemory(t *testing.T) {
	t.Parallel()
	s := newStore(t, newClient(t, sharedServer(t).Addr()))
	ctx := t.Context()
	var runs atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		resource := fmt.Sprintf("run-%d", runs.Add(1))
		memory := memfence.NewStore()
		base := rapid.SampledFrom([]driver.Token{0, 7, doubles, 1 << 60, driver.MaxToken - 3}).Draw(t, "base")
		grants := rapid.Custom(func(t *rapid.T) driver.Grant {
			return driver.Grant{
				Resource: resource,
				Issuer:   rapid.SampledFrom([]string{"alpha", "beta", driver.StoreIssuer}).Draw(t, "issuer"),
				Owner:    rapid.SampledFrom([]string{"a", "b", "A", "c"}).Draw(t, "owner"),
				Token:    base + driver.Token(rapid.IntRange(0, 4).Draw(t, "token")),
			}
		})
		same := func(t *rapid.T, what string, server, memory error) {
			require.Equal(t, kindOf(memory), kindOf(server), "%s: memory %v, server %v", what, memory, server)
		}
		value := 0
		t.Repeat(map[string]func(*rapid.T){
			"register": func(t *rapid.T) {
				g := grants.Draw(t, "grant")
				same(t, "register", s.guard.Register(ctx, g), memory.Register(ctx, g))
			},
			"claim": func(t *rapid.T) {
				owner := rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "owner")
				g, err := s.guard.Claim(ctx, resource, owner)
				wanted, wantedErr := memory.Claim(ctx, resource, owner)
				same(t, "claim", err, wantedErr)
				require.Equal(t, wanted, g)
			},
			"restore": func(t *rapid.T) { // so that claims begin at great numbers
				g := grants.Draw(t, "grant")
				if g.WellFormed() == nil {
					memory.SetRecord(g)
					require.NoError(t, s.record(ctx, g))
				}
			},
			"adopt": func(t *rapid.T) {
				seen, next := grants.Draw(t, "seen"), grants.Draw(t, "next")
				same(t, "adopt", s.guard.Adopt(ctx, seen, next), memory.Adopt(ctx, seen, next))
			},
			"write": func(t *rapid.T) {
				g := grants.Draw(t, "grant")
				if rapid.Bool().Draw(t, "current") { // else hardly any is accepted
					g, _ = memory.Seen(ctx, resource)
				}
				var opts []driver.WriteOption
				if rapid.Bool().Draw(t, "once") {
					opts = append(opts, driver.OncePerRequest(rapid.SampledFrom([]string{"q1", "q2", "q3"}).Draw(t, "request")))
				}
				if rapid.Bool().Draw(t, "lazy") {
					opts = append(opts, driver.LazyWrite())
				}
				value++
				same(t, "write", s.write(ctx, g, resource, fmt.Sprint(value), opts...), memory.Put(ctx, g, resource, fmt.Sprint(value), opts...))
			},
			"": func(t *rapid.T) {
				seen, err := s.guard.Seen(ctx, resource)
				require.NoError(t, err)
				wanted, err := memory.Seen(ctx, resource)
				require.NoError(t, err)
				require.Equal(t, wanted, seen)
				got, err := s.read(ctx, resource)
				require.NoError(t, err)
				kept, err := memory.Get(ctx, resource)
				require.NoError(t, err)
				require.Equal(t, kept, got)
			},
		})
	})
}
