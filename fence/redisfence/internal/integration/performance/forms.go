package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/measure"
	"github.com/fencelint/fencelint/fence/redisfence"
)

const ttl = time.Minute

// locks are the lock libraries; the first is what the others are compared
// with.
func locks(ctx context.Context, c *redis.Client, _ int) ([]measure.Form, error) {
	locker, err := redisfence.NewLocker(ctx, c)
	if err != nil {
		return nil, err
	}
	named, err := redisfence.NewLocker(ctx, c, redisfence.WithPrefix("named"), redisfence.WithIssuer("locks"))
	if err != nil {
		return nil, err
	}
	client := fence.New(locker, fence.WithTTL(ttl), fence.WithoutKeepAlive())
	other := redislock.New(c)
	third := redsync.New(goredis.NewPool(c))
	direct := func(l *redisfence.Locker) func(context.Context, int) error {
		return func(ctx context.Context, i int) error {
			h, err := l.Acquire(ctx, driver.Request{Name: fmt.Sprintf("job-%d", i), Owner: rand.Text(), TTL: ttl})
			if err != nil {
				return err
			}
			return l.Release(ctx, h)
		}
	}
	return []measure.Form{
		{Name: "redislock", Do: func(ctx context.Context, i int) error {
			l, err := other.Obtain(ctx, fmt.Sprintf("redislock-%d", i), ttl, nil)
			if err != nil {
				return err
			}
			return l.Release(ctx)
		}},
		{Name: "redsync, one server", Do: func(ctx context.Context, i int) error {
			m := third.NewMutex(fmt.Sprintf("redsync-%d", i), redsync.WithExpiry(ttl), redsync.WithTries(1))
			if err := m.LockContext(ctx); err != nil {
				return err
			}
			_, err := m.UnlockContext(ctx)
			return err
		}},
		{Name: "fence.Client", Do: func(ctx context.Context, i int) error {
			l, err := client.TryAcquire(ctx, fmt.Sprintf("job-%d", i))
			if err != nil {
				return err
			}
			return l.Release(ctx)
		}},
		{Name: "redisfence.Locker", Do: direct(locker)},
		{Name: "redisfence.Locker, WithIssuer", Do: direct(named)},
	}, nil
}

const program = `return redis.call('SET', KEYS[1], ARGV[1])`

// writes are one script, plain and guarded.
func writes(ctx context.Context, c *redis.Client, clients int, hot bool) ([]measure.Form, error) {
	guard, err := redisfence.NewGuard(ctx, c)
	if err != nil {
		return nil, err
	}
	grants, old := make([]driver.Grant, clients), make([]driver.Grant, clients)
	keys := make([][]string, clients)
	for i := range clients {
		g := driver.Grant{Resource: "hot", Issuer: "redis-0123456789abcdef", Owner: "owner-0123456789abcdef", Token: 12345}
		if !hot {
			g.Resource = fmt.Sprintf("resource-%d", i)
		}
		if err := guard.Register(ctx, g); err != nil {
			return nil, err
		}
		grants[i], old[i] = g, g
		old[i].Token--
		keys[i] = []string{fmt.Sprintf("data-%d", i)}
	}
	plain, guarded := redis.NewScript(program), redisfence.NewScript(program)
	return []measure.Form{
		{Name: "plain script", Do: func(ctx context.Context, i int) error {
			return plain.Run(ctx, c, keys[i], "value").Err()
		}},
		{Name: "guarded script", Do: func(ctx context.Context, i int) error {
			_, err := guard.Eval(ctx, grants[i], guarded, keys[i], []any{"value"})
			return err
		}},
		{Name: "guarded script, refused", Do: func(ctx context.Context, i int) error {
			_, err := guard.Eval(ctx, old[i], guarded, keys[i], []any{"value"})
			if errors.Is(err, driver.ErrStale) {
				return nil
			}
			return fmt.Errorf("a stale write ended with %w", errors.Join(err, errors.New("not refused")))
		}},
	}, nil
}
