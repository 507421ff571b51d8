package proof

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
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

// SameAsMemory gives random calls to a store and to the guard in memory: errors,
// records and values must be the same after every call. A difference is shrunk
// to a short sequence. Tokens are a little above one of bases.
func SameAsMemory(t *testing.T, store *fencetest.GuardHarness, bases ...driver.Token) {
	t.Helper()
	var runs atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		p := &pair{
			store: store, memory: memfence.NewStore(),
			resource: fmt.Sprintf("run-%d", runs.Add(1)), base: rapid.SampledFrom(bases).Draw(t, "base"),
		}
		t.Repeat(map[string]func(*rapid.T){
			"register": p.register, "claim": p.claim, "adopt": p.adopt, "write": p.write, "restore": p.restore, "": p.same,
		})
	})
}

// A pair is a store and the guard in memory that it is compared with.
type pair struct {
	store    *fencetest.GuardHarness
	memory   *memfence.Store
	resource string
	base     driver.Token
	writes   int
}

func (p *pair) grant(t *rapid.T, label string) driver.Grant {
	return driver.Grant{
		Resource: p.resource,
		Issuer:   rapid.SampledFrom([]string{"alpha", "beta", driver.StoreIssuer}).Draw(t, label+" issuer"),
		Owner:    rapid.SampledFrom([]string{"a", "b", "A", "c"}).Draw(t, label+" owner"),
		Token:    p.base + driver.Token(rapid.IntRange(0, 4).Draw(t, label+" token")),
	}
}

func sameError(t *rapid.T, store, memory error) {
	t.Helper()
	require.Equal(t, kindOf(memory), kindOf(store), "memory %v, store %v", memory, store)
}

func (p *pair) register(t *rapid.T) {
	g := p.grant(t, "own")
	sameError(t, p.store.Guard.Register(t.Context(), g), p.memory.Register(t.Context(), g))
}

func (p *pair) claim(t *rapid.T) {
	owner := rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "owner")
	g, err := p.store.Guard.Claim(t.Context(), p.resource, owner)
	wanted, wantedErr := p.memory.Claim(t.Context(), p.resource, owner)
	sameError(t, err, wantedErr)
	require.Equal(t, wanted, g)
}

func (p *pair) adopt(t *rapid.T) {
	seen, next := p.grant(t, "seen"), p.grant(t, "next")
	sameError(t, p.store.Guard.(driver.Adopter).Adopt(t.Context(), seen, next), p.memory.Adopt(t.Context(), seen, next))
}

func (p *pair) write(t *rapid.T) {
	g := p.grant(t, "own")
	if rapid.Bool().Draw(t, "current") { // else hardly any is accepted
		g, _ = p.memory.Seen(t.Context(), p.resource)
	}
	var opts []driver.WriteOption
	if rapid.Bool().Draw(t, "once") {
		opts = append(opts, driver.OncePerRequest(rapid.SampledFrom([]string{"q1", "q2", "q3"}).Draw(t, "request")))
	}
	if rapid.Bool().Draw(t, "lazy") {
		opts = append(opts, driver.LazyWrite())
	}
	p.writes++
	value := fmt.Sprint(p.writes)
	sameError(t, p.store.Write(t.Context(), g, p.resource, value, opts...), p.memory.Put(t.Context(), g, p.resource, value, opts...))
}

// restore sets the record behind the guard's back, so that claims begin at great
// numbers too.
func (p *pair) restore(t *rapid.T) {
	g := p.grant(t, "record")
	if g.WellFormed() != nil { // none that a guard would write
		return
	}
	p.memory.SetRecord(g)
	require.NoError(t, p.store.Record(t.Context(), g))
}

// same compares what can be seen.
func (p *pair) same(t *rapid.T) {
	seen, err := p.store.Guard.Seen(t.Context(), p.resource)
	require.NoError(t, err)
	wanted, err := p.memory.Seen(t.Context(), p.resource)
	require.NoError(t, err)
	require.Equal(t, wanted, seen)
	got, err := p.store.Read(t.Context(), p.resource)
	require.NoError(t, err)
	kept, err := p.memory.Get(t.Context(), p.resource)
	require.NoError(t, err)
	require.Equal(t, kept, got)
}
