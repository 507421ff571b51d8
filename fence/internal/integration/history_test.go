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
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// An operation is what a client asked of one guarded item.
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

// model says how a guarded item behaves if every operation is atomic.
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

// TestHistories lets clients register, write and read at the same time and
// asks whether some order of atomic steps explains what they were told.
func TestHistories(t *testing.T) {
	t.Parallel()
	n := count(t, "FENCE_HISTORIES", 20)
	onEach(t, func(t *testing.T, k kind) {
		s := open(t, k.new(t, patient))
		stale := 0
		for i := range n {
			history, refused := record(t, s, fmt.Sprintf("item-%d", i), uint64(i))
			stale += refused
			result := porcupine.CheckOperationsTimeout(model, history, time.Minute)
			require.Equal(t, porcupine.Ok, result, "history %d: %+v", i, history)
		}
		require.NotZero(t, stale, "the histories show nothing")
		t.Logf("%s: %d histories explained, %d refusals", k.name, n, stale)
	})
}

func record(t *testing.T, s *stores.Store, name string, seed uint64) ([]porcupine.Operation, int) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, s.Put(ctx, s.DB, name, ""))
	var mu sync.Mutex
	var history []porcupine.Operation
	refused := 0
	begin := time.Now()
	var wg sync.WaitGroup
	for client := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(client)))
			g := grant(name, fmt.Sprintf("owner-%d-0123456789", client), driver.Token(1+rng.IntN(3)))
			for n := range 10 {
				op := operation{grant: g, value: fmt.Sprintf("%d.%d", client, n)}
				var got reply
				var err error
				call := time.Since(begin)
				switch r := rng.IntN(10); {
				case r < 3:
					op.kind = "register"
					err = s.Guard.Register(ctx, g)
				case r < 7:
					op.kind = "write"
					err = set(ctx, s, g, name, op.value)
				default:
					op.kind = "read"
					got.value, err = s.Read(ctx, name)
				}
				end := time.Since(begin)
				if errors.Is(err, driver.ErrBusy) {
					continue // certainly nothing was done
				}
				got.stale = errors.Is(err, driver.ErrStale)
				if err != nil && !got.stale {
					t.Errorf("%s: %v", op.kind, err)
					return
				}
				if got.stale { // the next ownership of this client
					g.Token += driver.Token(1 + rng.IntN(3))
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
