package fence

import (
	"context"
	"time"
)

// A Clock tells a [Client] the time. The default is the system's monotonic
// clock. Only the end of leases as the client believes it, renewal and
// waiting depend on it: never whether a store takes a write. All methods are
// safe for concurrent use.
type Clock interface {
	// Now is the present time. It may jump: a client counts leases by it, and
	// safety does not depend on them.
	Now() time.Time
	// Sleep waits for d. Errors: ctx.Err() if ctx is done before.
	Sleep(ctx context.Context, d time.Duration) error
	// AfterFunc calls f in its own goroutine once d has passed. stop prevents
	// that if f has not been started; it does not wait for f.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (systemClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}
