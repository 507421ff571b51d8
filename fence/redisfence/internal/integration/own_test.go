package integration

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
)

// ownCases are what the suite cannot ask of every store. They return what is
// wrong, so that mutants can be shown to fail them.
var ownCases = map[string]func(*store) error{
	"register/beyond doubles":         registerBeyondDoubles,
	"register/compares numbers alone": compareNumbers,
	"register/guard does not expire":  guardStays,
	"claim/beyond doubles":            claimBeyondDoubles,
	"claim/carry":                     claimCarry,
	"issuer/beyond doubles":           issueBeyondDoubles,
	"issuer/counter does not expire":  counterStays,
	"hold/owner that begins alike":    beginsAlike,
	"waiter/told of a release":        toldOfRelease,
}

func TestOwnCases(t *testing.T) {
	t.Parallel()
	client := newClient(t, sharedServer(t).Addr())
	for name, run := range ownCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, run(newStore(t, client)))
		})
	}
}

// doubles is where Lua's numbers stop being exact.
const doubles = driver.Token(1) << 53

func registerBeyondDoubles(s *store) error {
	ctx := context.Background()
	for _, high := range []driver.Token{doubles + 1, 1<<60 + 1, driver.MaxToken} {
		name := fmt.Sprintf("r%d", high)
		g, low := grant(name, "a", high), grant(name, "b", high-1)
		if err := s.guard.Register(ctx, low); err != nil {
			return err
		}
		if err := s.guard.Register(ctx, g); err != nil {
			return fmt.Errorf("%d after %d: %w", high, high-1, err)
		}
		if err := s.guard.Register(ctx, low); !errors.Is(err, driver.ErrStale) {
			return fmt.Errorf("%d after %d: %v, want ErrStale", high-1, high, err)
		}
		if seen, err := s.guard.Seen(ctx, name); err != nil || seen != g {
			return fmt.Errorf("the guard has %d, %v", seen.Token, err)
		}
		if err := s.write(ctx, low, "k", "stale"); !errors.Is(err, driver.ErrStale) {
			return fmt.Errorf("write with %d: %v, want ErrStale", high-1, err)
		}
		if err := s.write(ctx, g, "k", "new"); err != nil {
			return err
		}
	}
	return nil
}

// compareNumbers: an owner that sorts after another decides nothing.
func compareNumbers(s *store) error {
	ctx := context.Background()
	if err := s.guard.Register(ctx, grant("r", "a", 5)); err != nil {
		return err
	}
	if err := s.guard.Register(ctx, grant("r", "z", 5)); !errors.Is(err, driver.ErrStale) {
		return fmt.Errorf("the same token of an owner that sorts after: %v, want ErrStale", err)
	}
	return s.guard.Register(ctx, grant("r", "0", 6))
}

func beginsAlike(s *store) error {
	ctx := context.Background()
	if _, err := s.locker.Acquire(ctx, driver.Request{Name: "n", Owner: owner("a"), TTL: time.Minute}); err != nil {
		return err
	}
	for _, other := range []string{owner("a")[:20], owner("a") + "x", owner("a") + "."} {
		if _, err := s.locker.Acquire(ctx, driver.Request{Name: "n", Owner: other, TTL: time.Minute}); !errors.Is(err, driver.ErrNotAcquired) {
			return fmt.Errorf("an owner that begins alike: %v, want ErrNotAcquired", err)
		}
	}
	return nil
}

func claimBeyondDoubles(s *store) error {
	ctx := context.Background()
	for _, from := range []driver.Token{doubles - 1, doubles, doubles + 1, 1<<60 + 7, driver.MaxToken - 1} {
		r := grant(fmt.Sprintf("c%d", from), "a", from)
		r.Issuer = driver.StoreIssuer
		if err := s.record(ctx, r); err != nil {
			return err
		}
		if g, err := s.guard.Claim(ctx, r.Resource, owner("b")); err != nil || g.Token != from+1 {
			return fmt.Errorf("claim after %d gave %d, %v", from, g.Token, err)
		}
	}
	last := grant("last", "a", driver.MaxToken)
	last.Issuer = driver.StoreIssuer
	if err := s.record(ctx, last); err != nil {
		return err
	}
	if _, err := s.guard.Claim(ctx, last.Resource, owner("b")); !errors.Is(err, driver.ErrInvalid) {
		return fmt.Errorf("claim beyond the last token: %v, want ErrInvalid", err)
	}
	if seen, err := s.guard.Seen(ctx, last.Resource); err != nil || seen != last {
		return fmt.Errorf("a refused claim left %v, %v", seen, err)
	}
	return nil
}

func claimCarry(s *store) error {
	ctx := context.Background()
	for _, from := range []driver.Token{8, 9, 10, 99, 109, 199, 999_999, 1_099_999, 899_999_999_999_999_999} {
		r := grant(fmt.Sprintf("c%d", from), "a", from)
		r.Issuer = driver.StoreIssuer
		if err := s.record(ctx, r); err != nil {
			return err
		}
		if g, err := s.guard.Claim(ctx, r.Resource, owner("b")); err != nil || g.Token != from+1 {
			return fmt.Errorf("claim after %d gave %d, %v", from, g.Token, err)
		}
	}
	return nil
}

func issueBeyondDoubles(s *store) error {
	ctx := context.Background()
	for _, from := range []driver.Token{doubles - 1, doubles + 1, 1<<60 + 1, driver.MaxToken - 2} {
		if err := s.locker.Raise(ctx, "n", from); err != nil {
			return err
		}
		for i := range driver.Token(2) {
			h, err := s.locker.Acquire(ctx, driver.Request{Name: "n", Owner: owner("a"), TTL: time.Minute})
			if err != nil || h.Token != from+1+i {
				return fmt.Errorf("after %d the token is %d, %v", from+i, h.Token, err)
			}
			if issued, err := s.locker.Issued(ctx, "n"); err != nil || issued != h.Token {
				return fmt.Errorf("issued is %d, %v", issued, err)
			}
			if err := s.locker.Release(ctx, h); err != nil {
				return err
			}
		}
	}
	if _, err := s.locker.Acquire(ctx, driver.Request{Name: "n", Owner: owner("a"), TTL: time.Minute}); !errors.Is(err, driver.ErrInvalid) {
		return fmt.Errorf("acquire beyond the last token: %v, want ErrInvalid", err)
	}
	if err := s.locker.Wait(ctx, "n"); err != nil { // nobody holds it
		return err
	}
	return nil
}

func guardStays(s *store) error {
	ctx := context.Background()
	if err := s.guard.Register(ctx, grant("r", "a", 1)); err != nil {
		return err
	}
	if _, err := s.guard.Claim(ctx, "c", owner("a")); err != nil {
		return err
	}
	for _, r := range []string{"r", "c"} {
		if left, err := s.client.PTTL(ctx, s.guardKey(r)).Result(); err != nil || left != -1 {
			return fmt.Errorf("the guard of %s ends in %v, %v", r, left, err)
		}
	}
	return nil
}

func counterStays(s *store) error {
	ctx := context.Background()
	if _, err := s.locker.Acquire(ctx, driver.Request{Name: "n", Owner: owner("a"), TTL: time.Minute}); err != nil {
		return err
	}
	if left, err := s.client.PTTL(ctx, s.counterKey()).Result(); err != nil || left != -1 {
		return fmt.Errorf("the counter ends in %v, %v", left, err)
	}
	if left, err := s.client.PTTL(ctx, s.lockKey("n")).Result(); err != nil || left <= 0 || left > time.Minute {
		return fmt.Errorf("the lease ends in %v, %v", left, err)
	}
	return nil
}

func toldOfRelease(s *store) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	h, err := s.locker.Acquire(ctx, driver.Request{Name: "n", Owner: owner("a"), TTL: time.Hour})
	if err != nil {
		return err
	}
	const waiting = 5
	told := make(chan error, waiting)
	for range waiting {
		go func() { told <- s.locker.Wait(ctx, "n") }()
	}
	for { // until all listen
		n, err := s.client.PubSubNumSub(ctx, s.lockKey("n")).Result()
		if err != nil {
			return err
		}
		if n[s.lockKey("n")] == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond) // so that all of them look before the release
	if err := s.locker.Release(ctx, h); err != nil {
		return err
	}
	for range waiting {
		if err := <-told; err != nil {
			return err
		}
	}
	return nil
}
