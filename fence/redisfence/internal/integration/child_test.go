package integration

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
)

// worker is the worker of the article: it stalls, and goes on as if nothing had
// happened. It disregards cancelled contexts, for what is proved is that the
// store refuses. Arguments: address, prefix, name, mode, TTL.
func worker(side *fencetest.Side) error {
	addr, prefix, name, mode := side.Args[0], side.Args[1], side.Args[2], side.Args[3]
	ttl, err := time.ParseDuration(side.Args[4])
	if err != nil {
		return err
	}
	client := open(addr)
	defer client.Close()
	s, err := openStore(client, prefix, "")
	if err != nil {
		return err
	}
	guard := &proof.StoppingGuard{Guard: s.guard, Side: side}
	prepare := fence.Registering(guard)
	if mode == "claim" {
		prepare = fence.Claiming(guard)
	}
	locks := fence.New(&proof.StoppingLocker{Locker: s.locker, Side: side}, fence.WithTTL(ttl), fence.WithReleaseTimeout(time.Minute),
		fence.WithTrace(&fence.Trace{ReleaseLost: func(fence.Event) { side.Say("release: not the owner any more"); side.At(released) }}))
	return locks.Do(context.Background(), name, func(ctx context.Context, l *fence.Lease) error {
		ctx = context.WithoutCancel(ctx)
		grant, err := l.Grant(guard)
		if err != nil {
			return err
		}
		side.At(proof.AfterRegister)
		value, err := s.read(ctx, name)
		if err != nil {
			return err
		}
		side.At(proof.AfterRead)
		return s.write(ctx, grant, name, value+late)
	}, prepare)
}

// late is what the worker adds; the wire is searched for it.
const late = " A"

// released is where the worker comes if its release found nothing to free.
const released = "release found nothing"

var roles = map[string]fencetest.Role{"worker": worker}

// wireText is how a value looks on the wire.
func wireText(value string) string {
	return fmt.Sprintf("$%d\r\n%s\r\n", len(value), strings.ToLower(value))
}
