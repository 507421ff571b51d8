package integration

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
)

// An operation is what a client asked of one guarded key.
type operation struct {
	kind  string // register, claim, write, read
	grant driver.Grant
	value string
}

// An answer is what it was told.
type answer struct {
	stale bool
	token driver.Token // of a claim
	value string
}

// A state is a guard's record and the value that it guards.
type state struct {
	token driver.Token
	owner string
	value string
}

// model says how a guarded key behaves if every operation is atomic.
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
			return takes != got.stale, st
		case "claim":
			if st.owner != op.grant.Owner {
				st.token, st.owner = st.token+1, op.grant.Owner
			}
			return got.token == st.token, st
		case "write":
			takes := st.token == op.grant.Token && st.owner == op.grant.Owner
			if takes {
				st.value = op.value
			}
			return takes != got.stale, st
		}
		return got.value == st.value, st
	},
}

// TestHistories lets clients register or claim, write and read at the same time
// and asks whether some order of atomic steps explains what they were told.
func TestHistories(t *testing.T) {
	t.Parallel()
	s := newStore(t, newClient(t, sharedServer(t).Addr()))
	n := count(t, "FENCE_HISTORIES", 40)
	stale := 0
	for i := range n {
		history, refused := record(t, s, i)
		stale += refused
		result := porcupine.CheckOperationsTimeout(model, history, time.Minute)
		require.Equal(t, porcupine.Ok, result, "history %d: %+v", i, history)
	}
	require.NotZero(t, stale, "the histories show nothing")
	t.Logf("%d histories explained, %d refusals", n, stale)
}

func record(t *testing.T, s *store, i int) ([]porcupine.Operation, int) {
	t.Helper()
	ctx, name, claims := t.Context(), fmt.Sprintf("item-%d", i), i%2 == 1
	var mu sync.Mutex
	var history []porcupine.Operation
	refused := 0
	begin := time.Now()
	var wg sync.WaitGroup
	for client := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(client)))
			g := driver.Grant{Resource: name, Issuer: "alpha", Owner: owner(fmt.Sprint(client)), Token: driver.Token(1 + rng.IntN(3))}
			if claims {
				g.Issuer = driver.StoreIssuer
			}
			for n := range 10 {
				op := operation{grant: g, value: fmt.Sprintf("%d.%d", client, n)}
				var got answer
				var err error
				call := time.Since(begin)
				switch r := rng.IntN(10); {
				case r < 3 && claims:
					op.kind = "claim"
					g, err = s.guard.Claim(ctx, name, g.Owner)
					got.token = g.Token
				case r < 3:
					op.kind = "register"
					err = s.guard.Register(ctx, g)
				case r < 7:
					op.kind = "write"
					err = s.write(ctx, g, name, op.value)
				default:
					op.kind = "read"
					got.value, err = s.read(ctx, name)
				}
				end := time.Since(begin)
				got.stale = errors.Is(err, driver.ErrStale)
				if err != nil && !got.stale {
					t.Errorf("%s: %v", op.kind, err)
					return
				}
				if got.stale { // the next ownership of this client
					if claims {
						g.Owner = owner(op.value)
					} else {
						g.Token += driver.Token(1 + rng.IntN(3))
					}
				}
				mu.Lock()
				if got.stale {
					refused++
				}
				history = append(history, porcupine.Operation{ClientId: client, Input: op, Call: int64(call), Output: got, Return: int64(end)})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return history, refused
}
