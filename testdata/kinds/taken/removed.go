package taken

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	leave = redis.NewScript(`redis.call('srem', KEYS[1], ARGV[1]) return 1`)
	enter = redis.NewScript(`redis.call('sadd', KEYS[1], ARGV[1]) redis.call('hset', KEYS[2], ARGV[1], ARGV[2]) return 1`)
)

// settle removes what is done, which is gone however often, and stores a state.
func (q *queue) settle(ctx context.Context, job, id string) error {
	lock, err := q.locks.Obtain(ctx, "settled", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	if err := leave.Run(ctx, q.rdb, []string{"open-jobs"}, job).Err(); err != nil {
		return err
	}
	if err := q.rdb.ZRemRangeByScore(ctx, "late-jobs", "0", job).Err(); err != nil {
		return err
	}
	if err := q.rdb.XDel(ctx, "job-stream", id).Err(); err != nil {
		return err
	}
	return enter.Run(ctx, q.rdb, []string{"done-jobs", "job-states"}, job, "done").Err() // want `^unfencedwrite \(unfenced\)`
}
