package answers

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var free = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type job struct{ queue, id string }

func otherField(ctx context.Context, rdb *redis.Client, j *job, me string) error {
	ok, err := rdb.SetNX(ctx, "lock:job:"+j.id, me, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer free.Run(context.WithoutCancel(ctx), rdb, []string{"lock:job:" + j.queue}, me) // want `lockresult \(keymismatch\): redis Run DEL frees another key`
	work()
	return nil
}

func otherConstant(ctx context.Context, rdb *redis.Client, id int, me string) error {
	ok, err := rdb.SetNX(ctx, fmt.Sprintf("lock:orders:%d", id), me, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer free.Run(context.WithoutCancel(ctx), rdb, []string{fmt.Sprintf("lock:order:%d", id)}, me) // want `lockresult \(keymismatch\)`
	work()
	return nil
}
