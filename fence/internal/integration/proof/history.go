package proof

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
)

// An operation is what a client asked of one guarded item.
type operation struct {
	kind  string // register, claim, write, read
	grant driver.Grant
	value string
}

// An answer is what it was told.
type answer struct {
	unknown bool // nothing: the operation may have been done, or may be done later
	stale   bool
	value   string
	token   driver.Token // of a claim
}

// A state is a guard's record and the value that it guards.
type state struct {
	token driver.Token
	owner string
	value string
}

// model says how a guarded item behaves if every operation is atomic. One whose
// outcome is unknown is done at some time, which may be after all others: then
// nobody can tell that it never was.
var model = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(s, in, out any) (bool, any) {
		st, op, got := s.(state), in.(operation), out.(answer)
		switch op.kind {
		case "register":
			takes := st.token < op.grant.Token || st.token == op.grant.Token && st.owner == op.grant.Owner
			if takes {
				st.token, st.owner = op.grant.Token, op.grant.Owner
			}
			return got.unknown || takes != got.stale, st
		case "claim":
			if st.owner != op.grant.Owner {
				st.token, st.owner = st.token+1, op.grant.Owner
			}
			return got.unknown || got.token == st.token, st
		case "write":
			takes := st.token == op.grant.Token && st.owner == op.grant.Owner
			if takes {
				st.value = op.value
			}
			return got.unknown || takes != got.stale, st
		}
		return got.value == st.value, st
	},
}

// Histories lets clients of one store register or claim, write and read at the
// same time, n times on an item of their own, and asks whether some order of
// atomic steps explains what they were told.
func Histories(t *testing.T, n int, clients ...*fencetest.GuardHarness) {
	t.Helper()
	var sum historySum
	for i := range n {
		h := &history{t: t, item: fmt.Sprintf("item-%d", i), claims: i%2 == 1, begin: time.Now(), sum: &sum}
		var wg sync.WaitGroup
		for c, client := range clients {
			wg.Go(func() { h.client(c, client, rand.New(rand.NewPCG(uint64(i), uint64(c)))) })
		}
		wg.Wait()
		result := porcupine.CheckOperationsTimeout(model, h.operations, time.Minute)
		require.Equal(t, porcupine.Ok, result, "history %d: %+v", i, h.operations)
	}
	require.NotZero(t, sum.stale, "the histories show nothing")
	require.Greater(t, sum.known, 5*n*len(clients), "half of the operations and more have no known outcome")
	t.Logf("%d histories explained: %d operations, %d refused, %d uncertain", n, sum.known, sum.stale, sum.unknown)
}

type historySum struct{ known, stale, unknown int }

// A history is what several clients did to one item.
type history struct {
	t      *testing.T
	item   string
	claims bool
	begin  time.Time
	sum    *historySum

	mu         sync.Mutex
	operations []porcupine.Operation
}

// client does ten operations, one after the other.
func (h *history) client(id int, c *fencetest.GuardHarness, rng *rand.Rand) {
	ctx := h.t.Context()
	owner := func(n int) string { return fmt.Sprintf("owner-%d.%d-0123456789", id, n) }
	g := driver.Grant{Resource: h.item, Issuer: "alpha", Owner: owner(0), Token: driver.Token(1 + rng.IntN(3))}
	if h.claims {
		g.Issuer = driver.StoreIssuer
	}
	for n := range 10 {
		op := operation{grant: g, value: fmt.Sprintf("%d.%d", id, n)}
		var got answer
		var err error
		call := time.Since(h.begin)
		switch r := rng.IntN(10); {
		case r < 3 && h.claims:
			op.kind = "claim"
			var claimed driver.Grant
			if claimed, err = c.Guard.Claim(ctx, h.item, g.Owner); err == nil {
				g, got.token = claimed, claimed.Token
			}
		case r < 3:
			op.kind = "register"
			err = c.Guard.Register(ctx, g)
		case r < 7:
			op.kind = "write"
			err = c.Write(ctx, g, h.item, op.value)
		default:
			op.kind = "read"
			got.value, err = c.Read(ctx, h.item)
		}
		end := int64(time.Since(h.begin))
		switch {
		case errors.Is(err, driver.ErrBusy), errors.Is(err, driver.ErrUnavailable), op.kind == "read" && err != nil:
			continue // certainly nothing was done
		case errors.Is(err, driver.ErrUncertain):
			got.unknown, end = true, math.MaxInt64
		case errors.Is(err, driver.ErrStale):
			got.stale = true
		case err != nil:
			h.t.Errorf("%s: %v", op.kind, err)
			return
		}
		h.note(porcupine.Operation{ClientId: id, Input: op, Call: int64(call), Output: got, Return: end})
		if got.stale { // the next ownership of this client
			g.Owner = owner(n + 1)
			if !h.claims {
				g.Token += driver.Token(1 + rng.IntN(3))
			}
		}
	}
}

func (h *history) note(op porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, op)
	switch got := op.Output.(answer); {
	case got.unknown:
		h.sum.unknown++
	case got.stale:
		h.sum.stale++
		fallthrough
	default:
		h.sum.known++
	}
}
