package integration

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proxy"
	"github.com/fencelint/fencelint/fence/redisfence"
)

func TestLockerConformance(t *testing.T) {
	t.Parallel()
	client := newClient(t, sharedServer(t).Addr())
	fencetest.TestLocker(t, func(tb testing.TB) *fencetest.LockHarness {
		return newStore(tb, client).lockHarness()
	})
}

// TestGuardConformance runs the suite; replies are really lost: the connection
// breaks when the server answers.
func TestGuardConformance(t *testing.T) {
	t.Parallel()
	client := newClient(t, sharedServer(t).Addr())
	fencetest.TestGuard(t, func(tb testing.TB) *fencetest.GuardHarness {
		s := newStore(tb, client)
		h := s.guardHarness()
		h.WriteUnheard = unheard(tb, s)
		return h
	})
}

// TestNamedIssuer runs the suite for lockers whose issuer is named and whose
// locks have counters of their own.
func TestNamedIssuer(t *testing.T) {
	t.Parallel()
	client := newClient(t, sharedServer(t).Addr())
	fencetest.TestLocker(t, func(tb testing.TB) *fencetest.LockHarness {
		prefix := newPrefix()
		s, err := openStore(client, prefix, "", redisfence.WithIssuer("orders"), redisfence.WithTag(func(name string) string { return "t-" + name }))
		require.NoError(tb, err)
		h := s.lockHarness()
		h.Expire = func(ctx context.Context, name string) error {
			return client.PExpire(ctx, prefix+":lock:{t-"+name+"}:"+name, 0).Err()
		}
		h.Lose = func(ctx context.Context, name string, last driver.Token) error {
			if err := h.Expire(ctx, name); err != nil {
				return err
			}
			return client.Set(ctx, prefix+":token:{t-"+name+"}", int64(last), 0).Err()
		}
		return h
	})
}

type writeFunc = func(context.Context, driver.Grant, string, string, ...driver.WriteOption) error

// unheard writes through a proxy that loses the answer.
func unheard(tb testing.TB, s *store) writeFunc {
	return func(ctx context.Context, g driver.Grant, key, value string, opts ...driver.WriteOption) error {
		p, err := proxy.Start(sharedServer(tb).Addr(), 0)
		require.NoError(tb, err)
		defer p.Close()
		client := open(fmt.Sprintf("127.0.0.1:%d", p.Port()))
		defer client.Close()
		through, err := openStore(client, s.prefix, s.tag)
		require.NoError(tb, err)
		lost := p.LoseReply("evalsha")
		// A server that does not know the script yet answers twice.
		require.ErrorIs(tb, s.write(ctx, grant("prime", "p", 1), "prime", ""), driver.ErrStale)
		err = through.write(ctx, g, key, value, opts...)
		<-lost
		return err
	}
}
