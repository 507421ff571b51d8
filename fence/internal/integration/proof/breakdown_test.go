package proof

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/memfence"
)

// memoryLedger counts in memory. Once down, it loses the answer to each write,
// every other time before it is made.
type memoryLedger struct {
	*memfence.Store

	mu      sync.Mutex
	entries map[string]map[string]int // by resource and request
	down    bool
	lost    int
}

func (l *memoryLedger) Apply(ctx context.Context, g driver.Grant, request string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		if l.lost++; l.lost%2 == 0 {
			return driver.ErrUncertain
		}
	}
	if err := l.Put(ctx, g, g.Resource, request, driver.OncePerRequest(request)); err != nil {
		return err
	}
	if l.entries[g.Resource] == nil {
		l.entries[g.Resource] = map[string]int{}
	}
	l.entries[g.Resource][request]++
	if l.down {
		return driver.ErrUncertain
	}
	return nil
}

func (l *memoryLedger) Entries(_ context.Context, resource string) (map[string]int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := map[string]int{}
	for request, times := range l.entries[resource] {
		n[request] = times
	}
	return n, nil
}

func (l *memoryLedger) set(down bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = down
}

func TestBreakdown(t *testing.T) {
	t.Parallel()
	l := &memoryLedger{Store: memfence.NewStore(), entries: map[string]map[string]int{}}
	var sum Toll
	for i := range 10 {
		sum.Add(Breakdown{
			Name: fmt.Sprintf("down-%d", i), Token: 1, Writer: l,
			Break: func(<-chan struct{}) { l.set(true) },
			Mend: func() Ledger {
				l.set(false)
				return l
			},
		}.Run(t, l))
	}
	require.Equal(t, 10*writers, sum.Uncertain)
	require.Equal(t, 5*writers, sum.Applied)
	require.Zero(t, sum.Unavailable)
	require.NotZero(t, sum.Acknowledged)
}
