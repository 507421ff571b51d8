// Package runners works through functions of packages that know no lock client and no
// store: what they are given still runs, under the lease that is held around them or
// that they take through an interface of their own.
package runners

import (
	"context"
	"database/sql"

	"github.com/fencelint/fencelint/testdata/kinds/runners/again"
	"github.com/fencelint/fencelint/testdata/kinds/runners/under"
	"github.com/go-redsync/redsync/v4"
)

type desk struct {
	rs   *redsync.Redsync
	db   *sql.DB
	lock under.Locker
}

func (d *desk) given(ctx context.Context) error {
	return under.Do(ctx, d.lock, "given", func(ctx context.Context) error {
		_, err := d.db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1 WHERE id = 1") // want `^unfencedwrite \(unfenced\)`
		return err
	})
}

func (d *desk) worked(ctx context.Context) error {
	m := d.rs.NewMutex("worked")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	return again.Thrice(func() error {
		_, err := d.db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1 WHERE id = 2") // want `^unfencedwrite \(unfenced\)`
		return err
	})
}

func (d *desk) taken(ctx context.Context) error {
	m := d.rs.NewMutex("taken")
	if err := again.Thrice(func() error { return m.LockContext(ctx) }); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	_, err := d.db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1 WHERE id = 3") // want `^unfencedwrite \(unfenced\)`
	return err
}

func (d *desk) generic(ctx context.Context) (sql.Result, error) {
	m := d.rs.NewMutex("generic")
	if err := m.LockContext(ctx); err != nil {
		return nil, err
	}
	defer m.UnlockContext(ctx)
	return again.Run(again.Policy{Times: 3}, func() (sql.Result, error) {
		return d.db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1 WHERE id = 4") // want `^unfencedwrite \(unfenced\)`
	})
}
