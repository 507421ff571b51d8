package proof

import (
	"context"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
)

// The points at which a holder is stopped.
const (
	AfterAcquire  = "after acquire"
	AfterRegister = "after register"
	AfterRead     = "after read"
	AfterSend     = "after send"
	BeforeRelease = "before release"
)

// Points are all of them in the order of a tenure.
var Points = []string{AfterAcquire, AfterRegister, AfterRead, AfterSend, BeforeRelease}

// A StoppingGuard tells where a holder is on its way from the lock to the guard.
// It disregards cancelled contexts: what is proved is that the store refuses.
type StoppingGuard struct {
	driver.Guard
	Side *fencetest.Side
}

// Register implements [driver.Guard].
func (g *StoppingGuard) Register(ctx context.Context, grant driver.Grant) error {
	g.Side.At(AfterAcquire)
	return g.Guard.Register(context.WithoutCancel(ctx), grant)
}

// Claim implements [driver.Guard].
func (g *StoppingGuard) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	g.Side.At(AfterAcquire)
	return g.Guard.Claim(context.WithoutCancel(ctx), resource, owner)
}

// A StoppingLocker tells where a holder is before its release.
type StoppingLocker struct {
	driver.Locker
	Side *fencetest.Side
}

// Release implements [driver.Locker].
func (l *StoppingLocker) Release(ctx context.Context, h driver.Hold) error {
	l.Side.At(BeforeRelease)
	return l.Locker.Release(context.WithoutCancel(ctx), h)
}
