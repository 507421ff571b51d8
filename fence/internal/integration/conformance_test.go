package integration

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proxy"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

func TestLockerConformance(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		s := open(t, k.new(t, patient))
		fencetest.TestLocker(t, s.LockHarness)
	})
}

// TestGuardConformance runs the suite on guarded transactions, guarded
// statements and guards in the user's rows. Replies are really lost: the
// connection breaks when the server answers the commit.
func TestGuardConformance(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k kind) {
		place := k.new(t, patient)
		s := open(t, place)
		t.Run("tx", func(t *testing.T) {
			t.Parallel()
			fencetest.TestGuard(t, func(tb testing.TB) *fencetest.GuardHarness {
				h := s.TxHarness(tb)
				h.WriteUnheard = unheard(tb, place)
				return h
			})
		})
		t.Run("exec", func(t *testing.T) {
			t.Parallel()
			fencetest.TestGuard(t, s.ExecHarness)
		})
		t.Run("columns", func(t *testing.T) {
			t.Parallel()
			fencetest.TestGuard(t, s.ColumnsHarness)
		})
	})
}

type writeFunc = func(context.Context, driver.Grant, string, string, ...driver.WriteOption) error

// unheard writes through a proxy that loses the answer to the commit. A
// refused write has no commit, so its answer is dropped here.
func unheard(tb testing.TB, place stores.Place) writeFunc {
	return func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
		p, through := proxied(tb, place, 0)
		if p == nil { // SQLite has no wire
			s, err := stores.Open(place)
			require.NoError(tb, err)
			defer s.Close()
			return fmt.Errorf("%w: %v", driver.ErrUncertain, s.Write(ctx, g, key, value, opts...))
		}
		defer p.Close()
		s, err := stores.Open(through)
		require.NoError(tb, err)
		defer s.Close()
		lost := p.LoseReply("commit")
		err = s.Write(ctx, g, key, value, opts...)
		select {
		case <-lost:
			return err
		default:
			return fmt.Errorf("%w: %v", driver.ErrUncertain, err)
		}
	}
}

var mysqlPort = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// proxied starts a proxy before a server and gives the place behind it; nil
// for SQLite. The caller closes it.
func proxied(tb testing.TB, place stores.Place, delay time.Duration) (*proxy.Proxy, stores.Place) {
	tb.Helper()
	var host string
	switch place.Driver {
	case "pgx":
		u, err := url.Parse(place.DSN)
		require.NoError(tb, err)
		host = u.Host
	case "mysql":
		host = mysqlPort.FindString(place.DSN)
	default:
		return nil, place
	}
	_, _, err := net.SplitHostPort(host)
	require.NoError(tb, err)
	p, err := proxy.Start(host, delay)
	require.NoError(tb, err)
	place.DSN = mysqlPort.ReplaceAllString(place.DSN, fmt.Sprintf("127.0.0.1:%d", p.Port()))
	return p, place
}
