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
	kind  string // register, write, read
	grant driver.Grant
	value string
}

// A reply is what it was told.
type reply struct {
	stale bool
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
		st, op, got := s.(state), in.(operation), out.(reply)
		switch op.kind {
		case "register":
			takes := st.token < op.grant.Token || st.token == op.grant.Token && st.owner == op.grant.Owner
			if takes {
				st.token, st.owner = op.grant.Token, op.grant.Owner
			}
			return takes != got.stale, st
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

// TestHistories lets clients register, write and read at the same time, on
// three members, and asks whether some order of atomic steps explains what
// they were told.
func TestHistories(t *testing.T) {
	t.Parallel()
	n := count(t, "FENCE_HISTORIES", 10)
	c := start(t, built(t), 3)
	prefix := unused()
	var clients []*store
	for i := range 4 { // each talks to one member
		clients = append(clients, over(t, dial(t, c.Endpoints()[i%3]), prefix))
	}
	stale := 0
	for i := range n {
		history, refused := recordHistory(t, clients, fmt.Sprintf("item-%d", i), uint64(i))
		stale += refused
		result := porcupine.CheckOperationsTimeout(model, history, time.Minute)
		require.Equal(t, porcupine.Ok, result, "history %d: %+v", i, history)
	}
	require.NotZero(t, stale, "the histories show nothing")
	t.Logf("%d histories of 40 operations explained, %d refusals", n, stale)
}

func recordHistory(t *testing.T, clients []*store, name string, seed uint64) ([]porcupine.Operation, int) {
	t.Helper()
	ctx := t.Context()
	var mu sync.Mutex
	var history []porcupine.Operation
	refused := 0
	begin := time.Now()
	var wg sync.WaitGroup
	for i, s := range clients {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			g := grant(name, fmt.Sprintf("owner-%d-0123456789", i), driver.Token(1+rng.IntN(3)))
			for n := range 10 {
				op := operation{grant: g, value: fmt.Sprintf("%d.%d", i, n)}
				var got reply
				var err error
				call := time.Since(begin)
				switch r := rng.IntN(10); {
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
				switch {
				case got.stale: // the next ownership of this client
					g.Token += driver.Token(1 + rng.IntN(3))
				case errors.Is(err, driver.ErrBusy), op.kind == "read" && err != nil:
					continue // certainly nothing was done
				case err != nil: // uncertain: its values are distinct, so this history proves nothing
					t.Errorf("%s: %v", op.kind, err)
					return
				}
				mu.Lock()
				if got.stale {
					refused++
				}
				history = append(history, porcupine.Operation{ClientId: i, Input: op, Call: int64(call), Output: got, Return: int64(end)})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return history, refused
}
