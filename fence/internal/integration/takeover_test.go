package integration

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// holderRole stops inside its transaction, after its write and before the
// commit, and then goes on.
func holderRole(ctx context.Context) error {
	var j writing
	if err := readJob(&j); err != nil {
		return err
	}
	s, err := stores.Open(j.Place)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Guard.Register(ctx, j.Grant); err != nil {
		return err
	}
	err = s.Guard.Tx(ctx, j.Grant, func(tx *sql.Tx) error {
		if err := s.Put(ctx, tx, j.Grant.Resource, "by the stopped holder"); err != nil {
			return err
		}
		stop()
		return nil
	})
	var out outcome
	if err != nil {
		out.Err, out.Stale = err.Error(), errors.Is(err, driver.ErrStale)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// slack is for a loaded machine: the bounds below are the servers' own, and
// what is proved is that there are bounds.
const slack = 20 * time.Second

// TestStoppedInsideTransaction: the next holder is told ErrBusy after the lock
// timeout, gets the guard once the server has ended the idle transaction, and
// what the stopped holder had written there is gone.
func TestStoppedInsideTransaction(t *testing.T) {
	t.Parallel()
	const lock, idle = time.Second, 3 * time.Second
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		place := k.new(t, waits{lock: lock, idle: idle})
		s := open(t, place)
		require.NoError(t, s.Put(ctx, s.DB, "job", "start"))
		old, next := grant("job", "old-0123456789ab", 1), grant("job", "new-0123456789ab", 2)
		child := startChild(t, "holder", writing{place, old})
		child.untilStopped(t)

		stopped := time.Now()
		require.ErrorIs(t, s.Guard.Register(ctx, next), driver.ErrBusy)
		require.Less(t, time.Since(stopped), lock+slack)

		if k.name == "sqlite" { // nothing but its end frees the file
			child.signal(t, syscall.SIGKILL)
			require.Error(t, child.cmd.Wait())
		}
		for {
			err := s.Guard.Register(ctx, next)
			if err == nil {
				break
			}
			require.ErrorIs(t, err, driver.ErrBusy)
			require.Less(t, time.Since(stopped), idle+slack)
		}
		t.Logf("%s: taken over %v after the stop", k.name, time.Since(stopped).Round(10*time.Millisecond))
		value, err := s.Read(ctx, "job")
		require.NoError(t, err)
		require.Equal(t, "start", value)
		require.NoError(t, s.Write(ctx, next, "job", "by the new holder"))

		if k.name != "sqlite" {
			child.signal(t, syscall.SIGCONT)
			var out outcome
			require.NoError(t, json.Unmarshal([]byte(child.finish(t)), &out))
			require.NotEmpty(t, out.Err, "the stopped holder's commit must fail")
		}
		value, err = s.Read(ctx, "job")
		require.NoError(t, err)
		require.Equal(t, "by the new holder", value)
	})
}

// TestOverlappingTransactions: a holder that keeps overlapping transactions
// open does not keep its successor out: the guard's row is locked by one of
// them at a time, and the successor has its turn.
func TestOverlappingTransactions(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		ctx, cancel := context.WithCancel(t.Context())
		place := k.new(t, patient)
		s := open(t, place)
		successor := s
		if k.name == "sqlite" { // it has no queue: who asks often has a turn
			place.DSN = strings.Replace(place.DSN, "busy_timeout(20000)", "busy_timeout(0)", 1)
			successor = open(t, place)
		}
		old, next := grant("job", "old-0123456789ab", 1), grant("job", "new-0123456789ab", 2)
		require.NoError(t, s.Guard.Register(ctx, old))
		ended := make(chan error, 8)
		running := make(chan struct{}, 1)
		for range 8 {
			go func() {
				for {
					err := s.Guard.Tx(ctx, old, func(*sql.Tx) error {
						select {
						case running <- struct{}{}:
						default:
						}
						time.Sleep(20 * time.Millisecond) // the work
						return nil
					})
					if err != nil && !errors.Is(err, driver.ErrBusy) {
						ended <- err
						return
					}
				}
			}()
		}
		<-running
		begin := time.Now()
		for {
			err := successor.Guard.Register(ctx, next)
			if err == nil {
				break
			}
			require.ErrorIs(t, err, driver.ErrBusy)
		}
		took := time.Since(begin)
		for range 8 {
			require.ErrorIs(t, <-ended, driver.ErrStale)
		}
		cancel()
		t.Logf("%s: taken over within %v", k.name, took.Round(time.Millisecond))
		require.Less(t, took, slack)
	})
}
