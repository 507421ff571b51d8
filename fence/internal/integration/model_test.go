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

// TestSameAsMemory gives random calls to a database and to the guard in
// memory: errors, records and values must be the same after every call. A
// difference is shrunk to a short sequence.
func TestSameAsMemory(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		s := open(t, k.new(t, patient))
		ctx := t.Context()
		var runs atomic.Int64
		rapid.Check(t, func(t *rapid.T) {
			resource := fmt.Sprintf("run-%d", runs.Add(1))
			memory := memfence.NewStore()
			grants := rapid.Custom(func(t *rapid.T) driver.Grant {
				return driver.Grant{
					Resource: resource,
					Issuer:   rapid.SampledFrom([]string{"alpha", "beta", driver.StoreIssuer}).Draw(t, "issuer"),
					Owner:    rapid.SampledFrom([]string{"a", "b", "A", "c"}).Draw(t, "owner"),
					Token:    driver.Token(rapid.IntRange(0, 4).Draw(t, "token")),
				}
			})
			same := func(t *rapid.T, what string, database, memory error) {
				require.Equal(t, kindOf(memory), kindOf(database), "%s: memory %v, database %v", what, memory, database)
			}
			value := 0
			t.Repeat(map[string]func(*rapid.T){
				"register": func(t *rapid.T) {
					g := grants.Draw(t, "grant")
					same(t, "register", s.Guard.Register(ctx, g), memory.Register(ctx, g))
				},
				"claim": func(t *rapid.T) {
					owner := rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "owner")
					g, err := s.Guard.Claim(ctx, resource, owner)
					wanted, wantedErr := memory.Claim(ctx, resource, owner)
					same(t, "claim", err, wantedErr)
					require.Equal(t, wanted, g)
				},
				"adopt": func(t *rapid.T) {
					seen, next := grants.Draw(t, "seen"), grants.Draw(t, "next")
					same(t, "adopt", s.Guard.Adopt(ctx, seen, next), memory.Adopt(ctx, seen, next))
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
					same(t, "write", s.Write(ctx, g, resource, fmt.Sprint(value), opts...), memory.Put(ctx, g, resource, fmt.Sprint(value), opts...))
				},
				"": func(t *rapid.T) {
					seen, err := s.Guard.Seen(ctx, resource)
					require.NoError(t, err)
					wanted, err := memory.Seen(ctx, resource)
					require.NoError(t, err)
					require.Equal(t, wanted, seen)
					got, err := s.Read(ctx, resource)
					require.NoError(t, err)
					kept, err := memory.Get(ctx, resource)
					require.NoError(t, err)
					require.Equal(t, kept, got)
				},
			})
		})
	})
}
