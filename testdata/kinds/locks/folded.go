package locks

import (
	"context"
	"database/sql"
	"log"
	"time"
)

// A tasks folds error and answer of the acquire into one bool; whoever defers
// the release after looking at it has won.
type tasks struct{ db *sql.DB }

func (t *tasks) try(ctx context.Context, name, owner string) bool {
	res, err := t.db.ExecContext(ctx, `INSERT INTO task_lock (name, owner, until) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET owner = $2, until = $3 WHERE task_lock.until < now()`, name, owner, time.Now().Add(time.Minute))
	if err != nil {
		return false
	}
	n, err := res.RowsAffected()
	return err == nil && n == 1
}

func (t *tasks) free(ctx context.Context, name string) {
	_, err := t.db.ExecContext(ctx, `DELETE FROM task_lock WHERE name = $1`, name) // want `keyonlyrelease \(keyonly\)`
	if err != nil {
		log.Print(err)
	}
}

func (t *tasks) daily(ctx context.Context, owner string) {
	ok := t.try(ctx, "daily", owner)
	if !ok {
		log.Print("somebody else does it")
		return
	}
	defer t.free(ctx, "daily")
	log.Print("at work")
}

func (t *tasks) hourly(ctx context.Context, owner string) {
	if !t.try(ctx, "hourly", owner) {
		return
	}
	defer t.free(ctx, "hourly")
	log.Print("at work")
}
