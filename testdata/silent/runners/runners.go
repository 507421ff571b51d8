// Package runners gives functions away that do not run under the lease, or change
// nothing, or what the store checks.
package runners

import (
	"context"
	"database/sql"

	"github.com/fencelint/fencelint/testdata/kinds/runners/again"
	"github.com/fencelint/fencelint/testdata/silent/runners/later"
	"github.com/go-redsync/redsync/v4"
)

type desk struct {
	rs *redsync.Redsync
	db *sql.DB
}

func (d *desk) kept(ctx context.Context) error {
	m := d.rs.NewMutex("kept")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	later.AtEnd(func() { _, _ = d.db.Exec("DELETE FROM visits") })
	return nil
}

func (d *desk) compared(ctx context.Context, ids []int) error {
	m := d.rs.NewMutex("compared")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	later.Sorted(len(ids), func(i, j int) bool { return ids[i] < ids[j] })
	return nil
}

func (d *desk) checked(ctx context.Context, version int) error {
	m := d.rs.NewMutex("checked")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	return again.Thrice(func() error {
		_, err := d.db.ExecContext(ctx, "UPDATE accounts SET amount = 1, version = version + 1 WHERE id = 1 AND version = $1", version)
		return err
	})
}

func (d *desk) before(ctx context.Context) error {
	if err := again.Thrice(func() error {
		_, err := d.db.ExecContext(ctx, "UPDATE accounts SET amount = amount - 1 WHERE id = 2")
		return err
	}); err != nil {
		return err
	}
	m := d.rs.NewMutex("before")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	_, err := m.UnlockContext(ctx)
	return err
}
