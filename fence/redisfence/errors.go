package redisfence

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/fence/driver"
)

// Errors of this package, beside those of package driver. All of them mean
// that the call had certainly no effect, and all are driver.ErrUnavailable.
var (
	// ErrEviction: the server may evict keys, and with them guards and counters.
	// See [WithoutEvictionCheck].
	ErrEviction = fmt.Errorf("%w: maxmemory-policy is not noeviction", driver.ErrUnavailable)

	// ErrReadOnly: the server is a replica. Guards and leases need the primary.
	ErrReadOnly = fmt.Errorf("%w: server is read-only", driver.ErrUnavailable)

	// ErrMemory: the server has no memory left, and rightly evicts nothing.
	ErrMemory = fmt.Errorf("%w: server is out of memory", driver.ErrUnavailable)

	// ErrSlot: the keys of one guarded write are in different slots of a
	// cluster: give them the hash tag of the guard, see [WithTag].
	ErrSlot = fmt.Errorf("%w: keys are in different slots", driver.ErrUnavailable)

	// ErrDamaged: a counter or a guard holds something that this package has not
	// written. Find out who did before you repair it.
	ErrDamaged = fmt.Errorf("%w: counter or guard is damaged", driver.ErrUnavailable)
)

// A ScriptError is an error with which the user's script of a guarded write
// ended. If it was raised, the write is also driver.ErrUncertain: Redis does
// not undo what a script did before. If the script returned it, as
// redis.error_reply does, it says by convention that nothing was changed.
type ScriptError struct{ Err error }

// Error gives the server's text.
func (e *ScriptError) Error() string { return "redisfence: script: " + e.Err.Error() }

// Unwrap gives the client's error.
func (e *ScriptError) Unwrap() error { return e.Err }

// unsent names the error of a call that was not made.
func unsent(err error) error { return fmt.Errorf("redisfence: not sent: %w", err) }

// name names the client's error for a script that was sent, or was to be: lost
// if nobody knows what became of it.
func (s *server) name(ctx context.Context, lost, err error) error {
	var fromServer redis.Error
	if errors.As(err, &fromServer) {
		if name := refusal(fromServer.Error()); name != nil {
			return wrap(ctx, name, err)
		}
		// The shipped scripts fail before their first write.
		return wrap(ctx, driver.ErrUnavailable, err)
	}
	if neverSent(err) {
		if s.cluster != nil {
			// The node may be gone for good: ask the others who has its slots.
			s.cluster.ReloadState(context.WithoutCancel(ctx))
		}
		return wrap(ctx, driver.ErrUnavailable, err)
	}
	if strings.HasPrefix(err.Error(), "redis: can't marshal ") {
		return fmt.Errorf("%w: %w", invalid("argument", "has a type that Redis cannot take"), err)
	}
	return wrap(ctx, lost, err)
}

// codes are the errors with which a server refuses before it changes anything.
var codes = []struct {
	code string
	err  error
}{
	{"READONLY", ErrReadOnly},
	{"OOM", ErrMemory},
	{"CROSSSLOT", ErrSlot},
	{"BUSY", driver.ErrBusy}, // a script that does not end
	{"NOPERM", driver.ErrUnavailable},
	{"NOAUTH", driver.ErrUnavailable},
	{"WRONGPASS", driver.ErrUnavailable},
	{"LOADING", driver.ErrUnavailable},
	{"MASTERDOWN", driver.ErrUnavailable},
	{"NOREPLICAS", driver.ErrUnavailable},
	{"MISCONF", driver.ErrUnavailable},
	{"CLUSTERDOWN", driver.ErrUnavailable},
	{"TRYAGAIN", driver.ErrUnavailable},
	{"MOVED", driver.ErrUnavailable},
	{"ASK", driver.ErrUnavailable},
	{"ERR max number of clients reached", driver.ErrUnavailable},
	{"ERR unknown command", driver.ErrUnsupported},
	{"ERR Error compiling script", invalid("script", "is no Lua program")},
}

// refusal finds the code in a server's error, nil if it has none of these. A
// server before version 7 has it behind a dash within the text.
func refusal(text string) error {
	for _, c := range codes {
		if text == c.code || strings.HasPrefix(text, c.code+" ") || strings.Contains(text, ": -"+c.code+" ") {
			return c.err
		}
	}
	return nil
}

// neverSent reports whether the client had no connection for the call.
func neverSent(err error) bool {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
	case errors.Is(err, redis.ErrClosed), errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted):
	case strings.HasPrefix(err.Error(), "redis: all sentinels "):
	case strings.HasPrefix(err.Error(), "redis: cluster has no "):
	default:
		return false
	}
	return true
}

// wrap joins the name, the cause and, where the client does not tell, that the
// context ended.
func wrap(ctx context.Context, name, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	return fmt.Errorf("%w: %w", name, err)
}
