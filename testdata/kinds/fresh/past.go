package fresh

import (
	"context"
	"database/sql"

	"github.com/go-redsync/redsync/v4"
)

type mailer struct {
	mutex *redsync.Mutex
	db    *sql.DB
}

// Note adds to the past, where twice the same does no harm, and to what is due,
// where it does.
func (m *mailer) Note(ctx context.Context, user, text string) error {
	if err := m.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer m.mutex.UnlockContext(context.WithoutCancel(ctx))
	if _, err := m.db.ExecContext(ctx, `INSERT INTO mail_history (name, text) VALUES ($1, $2)`, user, text); err != nil {
		return err
	}
	_, err := m.db.ExecContext(ctx, `INSERT INTO mail_due (name, text) VALUES ($1, $2)`, user, text) // want `^unfencedwrite \(unfenced\)`
	return err
}
