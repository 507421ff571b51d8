// Package writers has a Writer that stores what is written. That is its own: what
// else is written to a Writer goes elsewhere.
package writers

import (
	"context"
	"io"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// sink is a Writer that can be closed, and flushed.
type sink interface {
	io.WriteCloser
	Flush() error
}

type stored struct {
	rdb *redis.Client
	key string
}

func (s *stored) Write(b []byte) (int, error) {
	return len(b), s.rdb.Append(context.Background(), s.key, string(b)).Err()
}

func (s *stored) Close() error { return s.rdb.Incr(context.Background(), s.key+":closed").Err() }

func (s *stored) Flush() error { return s.rdb.Persist(context.Background(), s.key).Err() }

var _ sink = (*stored)(nil)

type job struct{ rs *redsync.Redsync }

func (j *job) run(ctx context.Context, w io.Writer) error {
	m := j.rs.NewMutex("job")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	_, err := w.Write([]byte("done\n"))
	return err
}

func (j *job) close(ctx context.Context, c io.Closer) error {
	m := j.rs.NewMutex("job")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	return c.Close()
}
