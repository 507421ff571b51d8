package proof

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Ledger takes entries, one for each request, at most once. It counts what is
// there, so an entry that was made twice is seen.
type Ledger interface {
	Apply(ctx context.Context, g driver.Grant, request string) error
	Entries(ctx context.Context, resource string) (map[string]int, error) // by request
	Register(ctx context.Context, g driver.Grant) error
}

// A Toll counts what happened to requests around failures.
type Toll struct{ Acknowledged, Uncertain, Unavailable, Applied int }

// Add adds another toll.
func (k *Toll) Add(o Toll) {
	k.Acknowledged += o.Acknowledged
	k.Uncertain += o.Uncertain
	k.Unavailable += o.Unavailable
	k.Applied += o.Applied
}

// String says what Breakdown has proved as well.
func (k Toll) String() string {
	return fmt.Sprintf("%d writes acknowledged, %d uncertain, of which %d had been applied, %d said to have no effect; 0 acknowledged lost, 0 applied twice, all uncertain ones settled",
		k.Acknowledged, k.Uncertain, k.Applied, k.Unavailable)
}

// A Breakdown is one failure of a store under four writers, each the holder of
// a resource of its own.
type Breakdown struct {
	Name  string       // which no other breakdown has
	Token driver.Token // of the holders; the next ones have one more

	Writer Ledger // which may be told nothing
	Break  func(ended <-chan struct{})

	// Allow says which errors writers may meet beside ErrUncertain, ErrUnavailable
	// and ErrBusy: all that say that the write had no effect. Nil allows none.
	Allow func(error) bool

	// Mend repairs the store after each writer has met an error, and gives a
	// ledger that works.
	Mend func() Ledger
}

const writers = 4

func (b Breakdown) holder(w int) driver.Grant {
	return driver.Grant{Resource: fmt.Sprintf("%s-%d", b.Name, w), Issuer: "alpha", Owner: "old-0123456789ab", Token: b.Token}
}

// fates are requests by what their writer was told.
type fates struct{ acknowledged, uncertain, unavailable []string }

// note reports whether the error is one that a failure may bring.
func (f *fates) note(request string, err error) bool {
	switch {
	case err == nil:
		f.acknowledged = append(f.acknowledged, request)
	case errors.Is(err, driver.ErrUncertain):
		f.uncertain = append(f.uncertain, request)
	default:
		f.unavailable = append(f.unavailable, request)
		return errors.Is(err, driver.ErrUnavailable) || errors.Is(err, driver.ErrBusy)
	}
	return true
}

// Run registers the holders in before, lets them write, breaks the store and
// mends it. What was acknowledged is there once; what was said to have no effect
// had none; what was uncertain is settled by the next holder, once, who learns
// whether it had been applied; the old holders are refused.
func (b Breakdown) Run(t *testing.T, before Ledger) (sum Toll) {
	t.Helper()
	ctx := t.Context()
	var all [writers]fates
	for w := range writers {
		require.NoError(t, before.Register(ctx, b.holder(w)))
	}
	var wg sync.WaitGroup
	written := make(chan struct{}, writers)
	for w := range writers {
		wg.Go(func() {
			for n := 0; ; n++ {
				request := fmt.Sprintf("%s-%d-%d", b.Name, w, n)
				err := b.Writer.Apply(ctx, b.holder(w), request)
				if !all[w].note(request, err) && (b.Allow == nil || !b.Allow(err)) {
					t.Errorf("%s: %v", request, err)
				}
				if err != nil {
					return
				}
				select {
				case written <- struct{}{}:
				default:
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	for range 2 * writers {
		select {
		case <-written:
		case <-ended:
		}
	}
	b.Break(ended)
	<-ended
	after := b.Mend()
	for w := range writers {
		sum.Add(b.settle(t, after, w, all[w]))
	}
	return sum
}

// settle is the next holder of a resource.
func (b Breakdown) settle(t *testing.T, l Ledger, w int, f fates) Toll {
	t.Helper()
	ctx := t.Context()
	old := b.holder(w)
	next := old
	next.Owner, next.Token = "new-0123456789ab", old.Token+1
	entries := func() map[string]int {
		n, err := l.Entries(ctx, old.Resource)
		require.NoError(t, err)
		return n
	}
	require.NoError(t, l.Register(ctx, next)) // what was uncertain can come about no more
	toll := Toll{Acknowledged: len(f.acknowledged), Uncertain: len(f.uncertain), Unavailable: len(f.unavailable)}
	there := entries()
	for _, request := range f.acknowledged {
		require.Equal(t, 1, there[request], "acknowledged %s", request)
	}
	for _, request := range f.unavailable {
		require.Zero(t, there[request], "%s was said to have no effect", request)
	}
	for _, request := range f.uncertain {
		err := l.Apply(ctx, next, request)
		if there[request] > 0 {
			require.ErrorIs(t, err, driver.ErrDuplicate, "the next holder learns what had been applied")
			toll.Applied++
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, 1, entries()[request], "settled %s", request)
	}
	require.ErrorIs(t, l.Apply(ctx, old, old.Resource+"-late"), driver.ErrStale)
	return toll
}
