// Case P012: the release is deferred before the answer is looked at. A worker that did not get
// the key returns early, and its defer deletes the key of the worker that has it.
// To flag: the deferred Del; it names the key alone, and it runs for losers too.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

type Rollup struct {
	rdb    *redis.Client
	region string
}

func (r *Rollup) Run(ctx context.Context) (int64, error) {
	got, err := r.rdb.SetNX(ctx, fmt.Sprintf("rollup:%s:running-lock", r.region), time.Now().Unix(), 10*time.Minute).Result()
	defer r.rdb.Del(ctx, fmt.Sprintf("rollup:%s:running-lock", r.region)) // want `keyonlyrelease \(notacquired\)`
	if err != nil {
		return 0, err
	}
	if !got {
		log.Printf("rollup of %s already runs", r.region)
		return 0, nil
	}
	return r.rdb.LLen(ctx, "samples:"+r.region).Result()
}

func main() {
	r := &Rollup{rdb: redis.NewClient(&redis.Options{}), region: "eu-central"}
	log.Println(r.Run(context.Background()))
}
