package runners

import (
	"context"
	"database/sql"
	"time"

	"github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/util/wait"
)

// tried takes the lock and works through libraries that try again.
func (d *desk) tried(ctx context.Context) error {
	m := d.rs.NewMutex("tried")
	if err := retry.New().Do(func() error { return m.LockContext(ctx) }); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	_, err := backoff.Retry(ctx, func() (sql.Result, error) {
		return d.db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1 WHERE id = 5") // want `^unfencedwrite \(unfenced\)`
	})
	return err
}

func (d *desk) broken(ctx context.Context, b *gobreaker.CircuitBreaker[sql.Result]) error {
	m := d.rs.NewMutex("broken")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	_, err := b.Execute(func() (sql.Result, error) {
		return d.db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1 WHERE id = 6") // want `^unfencedwrite \(unfenced\)`
	})
	return err
}

func (d *desk) once(ctx context.Context, g *singleflight.Group) error {
	_, err, _ := g.Do("once", func() (any, error) {
		m := d.rs.NewMutex("once")
		if err := m.LockContext(ctx); err != nil {
			return nil, err
		}
		defer m.UnlockContext(ctx)
		return d.db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1 WHERE id = 7") // want `^unfencedwrite \(unfenced\)`
	})
	return err
}

func (d *desk) polled(ctx context.Context) error {
	m := d.rs.NewMutex("polled")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	return wait.PollUntilContextTimeout(ctx, time.Second, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := d.db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1 WHERE id = 8") // want `^unfencedwrite \(unfenced\)`
		return err == nil, err
	})
}
