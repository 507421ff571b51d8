package mappers

import (
	"context"

	"github.com/go-redsync/redsync/v4"
	"github.com/jmoiron/sqlx"
)

type runs struct {
	rs *redsync.Redsync
	db *sqlx.DB
}

type run struct {
	UID     string `db:"uid"`
	State   string `db:"state"`
	Version int    `db:"version"`
}

// finish is refused if anybody else has changed the run since it was read.
func (r *runs) finish(ctx context.Context, job run) error {
	m := r.rs.NewMutex("runs")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	query, args, err := r.db.BindNamed(`UPDATE runs SET state = :state, version = version + 1 WHERE uid = :uid AND version = :version`, job)
	if err != nil {
		return err
	}
	_, err = r.db.ExecContext(ctx, query, args...)
	return err
}

func (r *runs) look(ctx context.Context, ids []string) (all []run, err error) {
	m := r.rs.NewMutex("runs")
	if err := m.LockContext(ctx); err != nil {
		return nil, err
	}
	defer m.UnlockContext(ctx)
	query, args, err := sqlx.In(`SELECT uid, state FROM runs WHERE uid IN (?)`, ids)
	if err != nil {
		return nil, err
	}
	return all, r.db.SelectContext(ctx, &all, r.db.Rebind(query), args...)
}
