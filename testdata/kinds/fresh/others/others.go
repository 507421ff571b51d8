// Package others looks like fresh, and is not: the record may be
// another's, as its insertion failed, added something else, or is not the one
// that is changed.
package others

import (
	"context"
	"fmt"

	"github.com/go-gorp/gorp/v3"
	"github.com/go-redsync/redsync/v4"
)

type job struct {
	ID      int64
	Name    string
	State   string
	Attempt int64
}

type jobEvent struct {
	ID   int64
	Job  int64
	Name string
}

type starter struct {
	mutex *redsync.Mutex
	db    *gorp.DbMap
}

func insertJob(db gorp.SqlExecutor, j *job) error {
	if err := db.Insert(j); err != nil {
		return fmt.Errorf("insert: %w", err)
	}
	return nil
}

func insertJobEvent(db gorp.SqlExecutor, j *job) error {
	return db.Insert(&jobEvent{Job: j.ID, Name: j.Name})
}

// ensure changes what was there when the insertion is refused.
func (s *starter) ensure(ctx context.Context, j *job) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	if err := insertJob(s.db, j); err != nil {
		_, err := s.db.Exec(`UPDATE job SET state = $1 WHERE id = $2`, j.State, j.ID) // want `^unfencedwrite \(unfenced\)`
		return err
	}
	return nil
}

// note inserts an event of the job, not the job.
func (s *starter) note(ctx context.Context, j *job) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	if err := insertJobEvent(s.db, j); err != nil {
		return err
	}
	_, err := s.db.Exec(`UPDATE job SET state = $1 WHERE id = $2`, j.State, j.ID) // want `^unfencedwrite \(unfenced\)`
	return err
}

func createJob(db gorp.SqlExecutor, j *job) error {
	_, err := db.Exec(`INSERT INTO queue (job) VALUES ($1)`, j.ID) // want `^unfencedwrite \(unfenced\)`
	return err
}

// queue inserts a row of another table under the job's number.
func (s *starter) queue(ctx context.Context, j *job) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	if err := createJob(s.db, j); err != nil {
		return err
	}
	_, err := s.db.Exec(`UPDATE job SET state = $1 WHERE id = $2`, j.State, j.ID) // want `^unfencedwrite \(unfenced\)`
	return err
}

func insertJobNote(db gorp.SqlExecutor, j *job, note any) error {
	if err := db.Insert(note); err != nil {
		return fmt.Errorf("note of job %d: %w", j.ID, err)
	}
	return nil
}

// remark inserts what nobody can tell the table of.
func (s *starter) remark(ctx context.Context, j *job, note any) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	if err := insertJobNote(s.db, j, note); err != nil {
		return err
	}
	_, err := s.db.Exec(`UPDATE job SET state = $1 WHERE id = $2`, j.State, j.ID) // want `^unfencedwrite \(unfenced\)`
	return err
}

// split inserts a job of no particular number and changes the one it came from.
func (s *starter) split(ctx context.Context, j job) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	part := job{Name: j.Name + " (part)"}
	if err := insertJob(s.db, &part); err != nil {
		return err
	}
	j.State = "split"
	_, err := s.db.Update(&j) // want `^unfencedwrite \(unfenced\)`
	return err
}

// finish saves the job as it was loaded, all of its columns.
func (s *starter) finish(ctx context.Context, id int64) error {
	if err := s.mutex.LockContext(ctx); err != nil {
		return err
	}
	defer s.mutex.UnlockContext(context.WithoutCancel(ctx))
	j, err := loadJob(s.db, id)
	if err != nil {
		return err
	}
	j.State = "done"
	return updateJob(s.db, j)
}

func loadJob(db gorp.SqlExecutor, id int64) (*job, error) {
	j := new(job)
	if err := get(db, newQuery("SELECT * FROM job WHERE id = $1", id), j); err != nil {
		return nil, err
	}
	return j, nil
}

type query struct {
	text string
	args []any
}

func newQuery(text string, args ...any) query { return query{text, args} }

func get(db gorp.SqlExecutor, q query, dest any) error {
	return db.SelectOne(dest, q.text, q.args...)
}

func updateJob(db gorp.SqlExecutor, j *job) error { return save(db, j) }

func save(db gorp.SqlExecutor, record any) error {
	_, err := db.Update(record) // want `^unfencedwrite \(rmw\)`
	return err
}
