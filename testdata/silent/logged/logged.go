// Package logged has a logger of its own, which sends its lines to a place that all
// share. To log is no change that a lease protects.
package logged

import (
	"context"
	"fmt"
	"os"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

type logger struct {
	rdb  *redis.Client
	file *os.File
}

func (l *logger) Infof(format string, args ...any) { l.printf("I "+format, args...) }

func (l *logger) WarningCtx(ctx context.Context, args ...any) {
	l.printf("W " + fmt.Sprint(args...))
}

func (l *logger) Errorw(text string, pairs ...any) { l.printf("E %s %v", text, pairs) }

func (l *logger) printf(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if l.rdb.RPush(context.Background(), "lines", line).Err() != nil {
		l.rotate()
	}
	fmt.Fprintln(l.file, line)
}

func (l *logger) rotate() {
	os.Remove("app.log")
	os.Symlink("app.1.log", "app.log")
}

type job struct {
	rs  *redsync.Redsync
	log *logger
}

func (j *job) run(ctx context.Context) error {
	m := j.rs.NewMutex("job")
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(ctx)
	j.log.Infof("run %d", 1)
	j.log.WarningCtx(ctx, "done")
	j.log.Errorw("done", "n", 1)
	return nil
}
