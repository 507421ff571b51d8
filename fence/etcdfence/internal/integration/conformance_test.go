package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/cluster"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/wire"
	"github.com/fencelint/fencelint/fence/fencetest"
)

// onEach runs a test on a new cluster of each version.
func onEach(t *testing.T, test func(t *testing.T, b cluster.Binary, c *cluster.Cluster)) {
	t.Helper()
	for name, binary := range map[string]func(testing.TB) cluster.Binary{"built": built, "installed": installed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := binary(t)
			version, err := b.Version()
			require.NoError(t, err)
			t.Logf("etcd %s", version)
			test(t, b, start(t, b, 1))
		})
	}
}

func TestLockerConformance(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, b cluster.Binary, c *cluster.Cluster) {
		client := dial(t, c.Endpoints()...)
		fencetest.TestLocker(t, func(tb testing.TB) *fencetest.LockHarness {
			if !strings.Contains(tb.Name(), "issuer/") {
				return over(tb, client, unused()).lockHarness()
			}
			// These cases expect a sequence that begins near 1, and they set it
			// back: they need a cluster for themselves.
			s := over(tb, dial(tb, start(tb, b, 1).Endpoints()...), unused())
			h := s.lockHarness()
			h.Lose = s.lose
			return h
		})
	})
}

// TestGuardConformance runs the suite on plain fenced transactions and on such
// with a condition of the caller. Answers are really lost: the connection
// breaks when the server has answered the transaction, accepted or refused.
func TestGuardConformance(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ cluster.Binary, c *cluster.Cluster) {
		client := dial(t, c.Endpoints()...)
		for name, form := range map[string]func(*store) writeFunc{
			"plain":       func(s *store) writeFunc { return s.write },
			"conditional": func(s *store) writeFunc { return s.writeIf },
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				fencetest.TestGuard(t, func(tb testing.TB) *fencetest.GuardHarness {
					s := over(tb, client, unused())
					h := s.guardHarness(form(s))
					h.WriteUnheard = unheard(tb, c, s.prefix, form)
					return h
				})
			})
		}
	})
}

// unheard writes through a proxy that loses the answer.
func unheard(tb testing.TB, c *cluster.Cluster, prefix string, form func(*store) writeFunc) writeFunc {
	return func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
		p, err := wire.Start(c.Endpoints()[0], 0)
		require.NoError(tb, err)
		defer p.Close()
		client, err := cluster.NewClient(p.Address())
		require.NoError(tb, err)
		defer client.Close()
		s := over(tb, client, prefix)
		lost := p.LoseReply(s.key(key))
		err = form(s)(ctx, g, key, value, opts...)
		select {
		case <-lost:
			return err
		default:
			return fmt.Errorf("the answer was not lost: %w", err)
		}
	}
}
