package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fencelint/fencelint/fence"
)

// play runs the story and gives the balance at its end.
func play(ctx context.Context, out io.Writer, s *store) (int, error) {
	tell := func(who, format string, args ...any) {
		fmt.Fprintf(out, "  %-6s %s\n", who, fmt.Sprintf(format, args...))
	}

	a, err := s.acquire(ctx)
	if err != nil {
		return 0, err
	}
	tell("A", "acquires the lock for %v", lease)
	seenByA, err := s.balance(ctx)
	if err != nil {
		return 0, err
	}
	tell("A", "reads the balance: %d", seenByA)
	tell("A", "stalls")

	b, err := s.acquire(ctx) // waits for the end of A's lease
	if err != nil {
		return 0, err
	}
	tell("lock", "A's lease ends")
	tell("B", "acquires the lock")
	seenByB, err := s.balance(ctx)
	if err != nil {
		return 0, err
	}
	tell("B", "reads the balance: %d", seenByB)
	if err := s.set(ctx, b, seenByB+50); err != nil {
		return 0, err
	}
	tell("B", "deposits 50 and writes %d", seenByB+50)

	tell("A", "wakes and writes what it had computed: %d", seenByA+30)
	err = s.set(ctx, a, seenByA+30)
	switch {
	case errors.Is(err, fence.ErrStale):
		tell("store", "refuses A: stale grant")
	case err != nil:
		return 0, err
	default:
		tell("store", "accepts A")
	}
	if releasing := a.Release(ctx); !errors.Is(releasing, fence.ErrNotOwner) {
		return 0, fmt.Errorf("A released a lock that was B's: %w", releasing)
	}
	tell("lock", "refuses A's release: it is not the owner")
	if releasing := b.Release(ctx); releasing != nil && !errors.Is(releasing, fence.ErrNotOwner) {
		return 0, releasing // on a slow machine B's lease, too, has ended
	}
	tell("B", "releases the lock")

	if err != nil { // A knows, so it can do its work again
		if err := again(ctx, s); err != nil {
			return 0, err
		}
		tell("A", "starts over: acquires, reads, deposits 30, releases")
	}
	return s.balance(ctx)
}

// again is A's second attempt, without a stall.
func again(ctx context.Context, s *store) error {
	l, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	balance, err := s.balance(ctx)
	if err != nil {
		return err
	}
	if err := s.set(ctx, l, balance+30); err != nil {
		return err
	}
	if err := l.Release(ctx); err != nil && !errors.Is(err, fence.ErrNotOwner) {
		return err
	}
	return nil
}
