package mappers

import (
	"context"

	"github.com/go-redsync/redsync/v4"
	"github.com/jmoiron/sqlx"
)

// runs binds its statements before it sends them: they are still the statements.
type runs struct {
	rs *redsync.Redsync
	db *sqlx.DB
}

// store is what a transaction is too.
type store interface {
	sqlx.ExtContext
}

type run struct {
	UID     string `db:"uid"`
	State   string `db:"state"`
	Version int    `db:"version"`
}

func (r *runs) finish(ctx context.Context, job run) error {
	m := r.rs.NewMutex("runs")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	return update(ctx, r.db, job)
}

func update(ctx context.Context, db store, job run) error {
	const text = `UPDATE runs SET state = :state WHERE uid = :uid`
	query, args, err := db.BindNamed(text, job)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, query, args...) // want `^unfencedwrite \(unfenced\)`
	return err
}

func (r *runs) clear(ctx context.Context, ids []string) error {
	m := r.rs.NewMutex("runs")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	query, args, err := sqlx.In(`UPDATE runs SET state = 'idle', turns = turns + 1 WHERE uid IN (?)`, ids)
	if err != nil {
		return err
	}
	_, err = r.db.ExecContext(ctx, r.db.Rebind(query), args...) // want `^unfencedwrite \(unfenced\)`
	return err
}
